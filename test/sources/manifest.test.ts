import { chmodSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readManifest } from "../../src/sources/index.ts";
import { UserTools } from "../support/user-tools.ts";

const path = "/p/space.manifest.json";
const least = { id: "my-space", name: "My Space", version: "1.0.0" };

/** All that the format has. */
const whole = {
  ...least,
  description: "A space for building amazing things",
  icon: "rocket",
  scope: "both",
  navigation: [
    { label: "Dashboard", icon: "home", to: "/", order: 0 },
    { label: "Parts", to: "/parts", children: [{ label: "New", to: "/parts/new?x=1" }] },
  ],
  pages: [
    {
      path: "index",
      label: "Dashboard",
      default: true,
      breadcrumb: false,
      layout: "split",
      toolbar: [
        {
          id: "refresh",
          icon: "refresh",
          label: "Refresh",
          action: "reload",
          tool: "generate",
          confirm: "Sure?",
          group: "a",
        },
      ],
    },
    { path: "parts", label: "Parts", toolbar: [] },
    { path: "parts/new", label: "New part" },
  ],
  tools: [
    {
      id: "generate",
      name: "Generate Component",
      command: "scripts/generate.sh -- {{name}} {{kind}}",
      icon: "plus",
      parameters: [
        { name: "name", type: "string", description: "Its name", required: true },
        { name: "kind", type: "string", enum: ["page", "part"] },
      ],
      confirm: false,
    },
  ],
  theme: { color: "#8b5cf6", bg: "rgb(248 250 252 / 50%)", accent: "rebeccapurple", text: "hsl(0, 0%, 10%)" },
};

function listProblems(text: string): string[] {
  return readManifest({ path, text }, { agents: ["architect"] }).problems.map(
    ({ line, column, code, message }) => `${line}:${column} ${code} ${message}`,
  );
}

function lines(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

describe("readManifest()", () => {
  test("takes every field of the format", () => {
    const { manifest, problems } = readManifest({ path, text: lines(whole) });
    expect(problems).toEqual([]);
    expect(manifest).toMatchObject({
      id: "my-space",
      scope: "both",
      navigation: [{ label: "Dashboard", order: 0 }, { children: [{ to: "/parts/new?x=1" }] }],
      pages: [
        { isDefault: true, layout: "split", breadcrumb: false },
        { layout: "full", breadcrumb: true },
        {},
      ],
      theme: { accent: "rebeccapurple" },
      tools: [{ tool: { id: "generate", description: "Generate Component" } }],
    });
  });

  test("needs an id, a name and a version, and no more", () => {
    expect(readManifest({ path, text: lines(least) })).toMatchObject({
      problems: [],
      manifest: { scope: "project", tools: [] },
    });
    expect(listProblems("{}")).toEqual(
      ["id", "name", "version"].map((key) =>
        expect.stringMatching(`^1:1 INVALID_MANIFEST .*"${key}": it is required`),
      ),
    );
  });

  test.for<[string, string]>([
    ['{\n  "id": "a",\n  "name" "b"\n}', "3:"],
    ['{\n  "id": "a",\n}', "3:1 INVALID_MANIFEST"],
    ["id: a\nname: b\nversion: 1.0.0", "1:1 INVALID_MANIFEST"],
    ["[]", "1:1 INVALID_MANIFEST"],
    [lines({ ...least, version: "one" }), '4:14 INVALID_MANIFEST Cannot use the field "version"'],
    [
      lines({ ...least, scop: "both" }),
      '5:3 INVALID_MANIFEST Cannot use the field "scop": there is none of that name; did you mean "scope"',
    ],
    [lines({ ...least, scope: "all" }), "5:12 INVALID_MANIFEST"],
    [
      lines({ ...least, theme: { color: "url(x)" } }),
      '6:14 THEME_INVALID Cannot use the theme\'s color "url(x)"',
    ],
    [lines({ ...least, theme: { bg: 1 } }), "6:11 THEME_INVALID"],
    [
      lines({ ...least, agents: ["architect", "tester"] }),
      '5:13 AGENT_NOT_FOUND Cannot find the agent "tester": there are architect',
    ],
    [
      lines({ ...least, pages: [{ path: "a", label: "A" }], navigation: [{ label: "B", to: "/b" }] }),
      '14:13 PAGE_NOT_FOUND Cannot find the page of "/b": the pages are a',
    ],
    [lines({ ...least, pages: [{ path: "../a", label: "A" }] }), "7:15 INVALID_MANIFEST"],
    [
      lines({ ...least, tools: [{ id: "t", name: "T", command: "ls | wc" }] }),
      "9:22 INVALID_MANIFEST Cannot use the command",
    ],
    [
      lines({ ...least, tools: [{ id: "t", name: "T", command: "ls", bridge: "x" }] }),
      "9:18 INVALID_MANIFEST",
    ],
    [
      lines({
        ...least,
        tools: [{ id: "t", name: "T", command: "ls {{a}}", parameters: [{ name: "a", type: "array" }] }],
      }),
      "13:19 INVALID_MANIFEST",
    ],
  ])("says what is wrong with %s, and where", ([text, expected]) => {
    expect(readManifest({ path, text }).manifest === undefined || text.includes("agents")).toBe(true);
    expect(listProblems(text)).toEqual([expect.stringContaining(expected)]);
  });
});

describe("the source", () => {
  test("a manifest's tool runs with its values, and its entry is its version", async () => {
    const tools = new UserTools();
    chmodSync(tools.write("scripts/generate.sh", '#!/bin/sh\nprintf "<%s>" "$@"\n'), 0o755);
    tools.write("space.manifest.json", lines(whole));
    await tools.manifest.start();
    expect((await tools.call("generate", { name: "a; b" })).text).toBe("<--><a; b>");
    const { version } = tools.registry.get("generate") ?? {};
    tools.write("space.manifest.json", lines({ ...whole, name: "Other" }));
    await tools.manifest.reload();
    expect(tools.registry.get("generate")?.version).toBe(version);
    tools.write("space.manifest.json", lines({ ...whole, tools: [{ ...whole.tools[0], confirm: true }] }));
    await tools.manifest.reload();
    expect(tools.registry.get("generate")).toMatchObject({
      confirm: true,
      version: expect.not.stringMatching(`^${version}$`),
    });
  });

  test("a manifest that is broken keeps its last good version, and one that is gone takes its tools along", async () => {
    const tools = new UserTools();
    const file = tools.write("space.manifest.json", lines(whole));
    await tools.manifest.start();
    tools.write("space.manifest.json", "{");
    await tools.manifest.reload();
    expect(tools.registry.has("generate")).toBe(true);
    expect(tools.manifest.problems()).toMatchObject([
      { where: file, line: 1, code: "INVALID_MANIFEST", message: expect.stringContaining("stays as it was") },
    ]);
    const { rmSync } = await import("node:fs");
    rmSync(file);
    await tools.manifest.reload();
    expect(tools.registry.has("generate")).toBe(false);
    expect(tools.manifest.problems()).toEqual([]);
  });

  test("where it watches, a manifest that is written anew, or put in place of the old one, comes in", async () => {
    const { renameSync } = await import("node:fs");
    const tools = new UserTools({ services: { watch: true } });
    await tools.manifest.start();
    const until = (name: string) =>
      new Promise<void>((resolve) => {
        tools.registry.onChange(() => tools.registry.has(name) && resolve());
      });
    for (const name of ["first", "second", "third"]) {
      const came = until(name);
      const draft = tools.write(
        "draft.json",
        lines({ ...least, tools: [{ id: name, name, command: "ls" }] }),
      );
      renameSync(draft, `${tools.folder}/space.manifest.json`);
      await came;
    }
    expect(tools.registry.has("second")).toBe(false);
  });

  test("a tool in Markdown comes before one of a manifest", async () => {
    const tools = new UserTools();
    tools.write(
      "space.manifest.json",
      lines({ ...least, tools: [{ id: "say", name: "Say", command: "echo manifest" }] }),
    );
    await tools.manifest.start();
    await tools.add("say", "command: echo markdown");
    expect((await tools.call("say")).text).toBe("markdown");
    await tools.manifest.reload();
    expect(tools.manifest.problems()).toMatchObject([
      { code: "SOURCE_NAME_TAKEN", message: expect.stringContaining("markdown") },
    ]);
  });

  test("`bridge` in place of a command has the host program do it", async () => {
    const calls: unknown[] = [];
    const callBridge = (...args: readonly unknown[]) => calls.push(args.slice(0, 2));
    const text = lines({ ...least, tools: [{ id: "pick", name: "Pick", bridge: "file_picker" }] });
    const tools = new UserTools({ services: { callBridge } });
    tools.write("space.manifest.json", text);
    await tools.manifest.start();
    expect((await tools.call("pick")).success).toBe(true);
    expect(calls).toEqual([["file_picker", {}]]);
  });
});
