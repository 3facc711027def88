import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Processes, Sandbox } from "../../src/host/index.ts";
import { type CallContext, defaultRules, type Effect } from "../../src/kernel/index.ts";
import { ExtensionBench, toolModule } from "../support/extensions.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { levelsHere, openSandbox, sandboxHere } from "../support/sandbox-levels.ts";

const { inSandbox } = await sandboxHere();
const asInstalled = { executor: { rules: defaultRules } };

function module(name: string, requires: object, body = "return 1", fields = ""): string {
  return toolModule(name, body, {
    fields,
    head: `import fs from "node:fs"; export const meta = ${JSON.stringify({ requires })};`,
  });
}

async function foreseeEffects(
  bench: ExtensionBench,
  name: string,
  context: CallContext = {},
): Promise<readonly Effect[]> {
  const effects = await bench.registry
    .get(name)
    ?.effects?.({} as never, { allowedPaths: [bench.project], ...context });
  return (effects ?? []).map(({ isolation: _isolation, ...effect }) => effect);
}

test(
  "an extension that the sandbox leaves no power runs unasked, whatever it says of itself",
  inSandbox,
  async () => {
    await using bench = await ExtensionBench.open({
      ...asInstalled,
      files: { "tools/pure.ts": toolModule("pure", "return 1") },
    });
    expect(await foreseeEffects(bench, "pure")).toEqual([
      { kind: "run", target: "extension:pure/pure", within: true, confined: true },
    ]);
    expect(await bench.call("pure")).toMatchObject({ success: true, result: 1, trust: "trusted" });
  },
);

test(
  "one that may change something asks, unless its accepted code says that it destroys nothing",
  inSandbox,
  async () => {
    await using bench = await ExtensionBench.open({
      ...asInstalled,
      files: {
        "tools/silent.ts": module("silent", { write: ["out"] }),
        "tools/careful.ts": module(
          "careful",
          { write: ["out"] },
          "return 1",
          "annotations: { destructive: false },",
        ),
      },
    });
    expect(await bench.call("silent")).toMatchObject({ success: false, code: "TOOL_PERMISSION" });
    expect(await bench.call("careful")).toMatchObject({ success: true });
    expect(await foreseeEffects(bench, "careful")).toEqual([
      { kind: "run", target: "extension:careful/careful", within: false, confined: true, routine: true },
      { kind: "write", target: join(bench.project, "out"), within: true },
    ]);
    expect(await bench.call("careful", {}, { allowedPaths: [] })).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(await bench.call("careful", {}, { mode: "plan" })).toMatchObject({ code: "TOOL_PERMISSION" });
  },
);

test("it reads and changes the files that it declares, and no others", inSandbox, async () => {
  const tried = (path: string) => `try { ${path}; } catch (e) { out.push(e.code); }`;
  const body = `const out = []; const [project] = context.allowedPaths;
    ${tried('out.push(fs.readFileSync(project + "/notes/a.txt", "utf8"))')}
    ${tried('out.push(fs.readFileSync(project + "/secret.txt", "utf8"))')}
    ${tried('fs.writeFileSync(project + "/notes/a.txt", "changed")')}
    ${tried('fs.writeFileSync(project + "/out/b.txt", "made")')}
    return out;`;
  await using bench = await ExtensionBench.open({ files: {} });
  for (const name of ["notes", "out"]) mkdirSync(join(bench.project, name));
  writeFileSync(join(bench.project, "notes/a.txt"), "a note");
  writeFileSync(join(bench.project, "secret.txt"), "secret");
  bench.write(
    "tools/files.ts",
    module(
      "files",
      { read: ["notes"], write: ["out"] },
      body.replaceAll("const out = []", "const out: unknown[] = []").replaceAll("(e)", "(e: any)"),
    ),
  );
  await bench.source.reload();
  expect(bench.source.problems()).toEqual([]);
  expect(await bench.call("files")).toMatchObject({ result: ["a note", "ENOENT", "EROFS"] });
  expect(readFileSync(join(bench.project, "out/b.txt"), "utf8")).toBe("made");
});

test(
  "it reaches the hosts that it declares; each is an effect, and what it returns is from outside",
  inSandbox,
  async () => {
    const { host } = await listenOnLoopback((_request, response) => response.end("hello"));
    await using bench = await ExtensionBench.open({
      allowedHosts: [host],
      files: {
        "tools/net.ts": module(
          "net",
          { hosts: [host] },
          `return await (await fetch("http://${host}/")).text();`,
        ),
        "tools/none.ts": module(
          "none",
          {},
          `return await fetch("http://${host}/").then((r) => r.text(), () => "no way");`,
        ),
      },
    });
    expect(await foreseeEffects(bench, "net", { allowedHosts: [host] })).toEqual([
      {
        kind: "run",
        target: "extension:net/net",
        within: false,
        confined: true,
        asks: expect.stringContaining("declares no annotations"),
      },
      expect.objectContaining({ kind: "connect", target: `https://${host}`, within: true }),
    ]);
    expect(await bench.call("net", {}, { allowedHosts: [host] })).toMatchObject({
      result: "hello",
      trust: "untrusted",
    });
    expect(await bench.call("none")).toMatchObject({ result: "no way", trust: "trusted" });
  },
);

test("without a sandbox every call asks, and says why", async () => {
  const processes = new Processes();
  await using bench = await ExtensionBench.open({
    ...asInstalled,
    processes,
    files: {
      "tools/pure.ts": toolModule("pure", "return 1", { fields: "annotations: { readOnly: true }," }),
    },
  });
  expect(await foreseeEffects(bench, "pure")).toEqual([
    {
      kind: "run",
      target: "extension:pure/pure",
      within: false,
      asks: "no sandbox keeps its extension to what it declares",
    },
  ]);
  expect(await bench.call("pure")).toMatchObject({ code: "TOOL_PERMISSION" });
  await processes.close();
});

test("without a sandbox a result is from outside, unless the extension says that it stays here", async () => {
  const processes = new Processes();
  const data = 'return { text: params.text ?? "none" };';
  await using bench = await ExtensionBench.open({
    processes,
    files: {
      "tools/open.ts": toolModule("open", data),
      "tools/here.ts": toolModule("here", data, { fields: "annotations: { openWorld: false }," }),
    },
  });
  const result = { text: "a" };
  expect(await bench.call("open", result)).toMatchObject({
    result,
    text: '{"text":"a"}',
    trust: "untrusted",
  });
  expect(await bench.call("here", result)).toMatchObject({ result, text: '{"text":"a"}', trust: "trusted" });
  await processes.close();
});

test("where less isolation holds than the operator asks for, no extension is loaded", async () => {
  const processes = new Processes({ sandbox: new Sandbox({ levels: [], atLeast: "bubblewrap" }) });
  await using bench = await ExtensionBench.open({
    processes,
    files: { "tools/pure.ts": toolModule("pure", "return 1") },
  });
  expect(bench.registry.has("pure")).toBe(false);
  expect(bench.source.problems()).toMatchObject([
    { code: "EXTENSION_LOAD", message: expect.stringContaining("Cannot run commands") },
  ]);
  await processes.close();
});

test("an extension in a folder that nothing inside may see is loaded all the same", inSandbox, async () => {
  const folders: string[] = [];
  await using bench = await ExtensionBench.open({ files: {}, folders });
  const folder = join(bench.home, "agent", "extensions");
  mkdirSync(join(folder, "tools"), { recursive: true });
  writeFileSync(
    join(folder, "tools/mine.ts"),
    toolModule("mine", "return fs.existsSync(new URL(import.meta.url))", {
      head: 'import fs from "node:fs";',
    }),
  );
  folders.push(folder);
  await bench.source.reload();
  expect(await bench.call("mine")).toMatchObject({ result: false });
});

test.for(await levelsHere())("an extension works, and is ended, at the level %s", async (level) => {
  const processes = new Processes({ sandbox: openSandbox(level) });
  await using bench = await ExtensionBench.open({
    processes,
    times: { graceMs: 50 },
    files: {
      "tools/two.ts": toolModule("two", "if (params.text === undefined) for (;;); return params.text;"),
    },
  });
  expect(bench.source.problems()).toEqual([]);
  expect(await bench.call("two", {}, { timeoutMs: 200 })).toMatchObject({ code: "TOOL_TIMEOUT" });
  expect(await bench.call("two", { text: "again" })).toMatchObject({ result: "again" });
  await processes.close();
});
