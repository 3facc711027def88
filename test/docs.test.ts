import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { Installation } from "./support/installation.ts";
import { renderToolsPage } from "./support/tools-page.ts";

/** All tables of codes: every `…ErrorCodes` that a file named errors.ts exports. */
const tables = await Promise.all(
  globSync("src/**/errors.ts").map(
    async (file) => (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>,
  ),
);
const codes = tables
  .flatMap((module) => Object.entries(module))
  .flatMap(([name, value]) => (name.endsWith("ErrorCodes") ? (value as readonly string[]) : []))
  .sort();

test("there are tables of error codes", () => {
  expect(codes.length).toBeGreaterThan(80);
});

test("docs/reference/errors.md explains every error code, and no code that is not there", () => {
  const explained = Array.from(
    readFileSync("docs/reference/errors.md", "utf8").matchAll(/^\| `([A-Z0-9_]+)` +\|/gm),
    ([, code]) => code as string,
  );
  expect(explained.sort()).toEqual(codes);
});

const troubleshooting = readFileSync("docs/guide/troubleshooting.md", "utf8");

test("docs/guide/troubleshooting.md leads from the beginning of every code to the section that explains it", () => {
  const rows = troubleshooting.split("\n").filter((line) => /^\| .*errors\.md#/.test(line));
  const isLed = (code: string, anchor: string) =>
    rows.some((row) => row.includes(`\`${code.split("_")[0]}_…\``) && row.includes(`errors.md#${anchor})`));
  const sections = readFileSync("docs/reference/errors.md", "utf8").split(/^## /m).slice(1);
  const lost = sections.flatMap((section) => {
    const [title = ""] = section.split("\n");
    const anchor = title.toLowerCase().replaceAll(" ", "-");
    const explained = Array.from(section.matchAll(/^\| `([A-Z0-9_]+)` +\|/gm), ([, code]) => code as string);
    return explained.filter((code) => !isLed(code, anchor)).map((code) => `${code} in #${anchor}`);
  });
  expect(lost).toEqual([]);
});

test("docs/guide/troubleshooting.md has an entry for each code of the home folder, the configuration, the PIN and the store, which people meet alone", async () => {
  const [{ configErrorCodes, pinErrorCodes }, { storeErrorCodes }] = await Promise.all([
    import("../src/app/errors.ts"),
    import("../src/db/errors.ts"),
  ]);
  const own = [...configErrorCodes, ...pinErrorCodes, ...storeErrorCodes];
  expect(own.filter((code) => !troubleshooting.includes(`\`${code}\``))).toEqual([]);
});

test("docs/guide/troubleshooting.md names no code and quotes no words that haft does not say", () => {
  const seen = Array.from(troubleshooting.matchAll(/^\| ([^|]*) \|/gm), ([, first]) => first as string);
  const quoted = seen.flatMap((cell) =>
    Array.from(cell.matchAll(/`([^`…]+)…?`/g), ([, text]) => text as string),
  );
  const isCode = (text: string) => /^[A-Z0-9]+_[A-Z0-9_]+$/.test(text);
  expect(quoted.filter((text) => isCode(text) && !codes.includes(text))).toEqual([]);
  const source = ["bin/haft.js", ...globSync("src/**/*.ts")]
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const words = quoted.filter((text) => text.includes(" ") && !wordsOfTheSystem.includes(text));
  const pieces = words.flatMap((text) => text.split(/[A-Z]{4,}=?|\d[\d.]*/).map((piece) => piece.trim()));
  expect(pieces.filter((piece) => !source.includes(piece))).toEqual([]);
});

/** Messages of the operating system, which no source of haft has. */
const wordsOfTheSystem = ["Read-only file system", "Permission denied"];

test.for(["README.md", "docs/memory.md", "docs/guide/agent-in-a-program.md"])(
  "the program of %s prints what its comments say",
  (page) => {
    const database = join(new Installation().root, "memory.db");
    const program = (
      /```ts\n((?:import [^\n]*\n)+\n(?!await using app)[\s\S]*?)```/.exec(readFileSync(page, "utf8"))?.[1] ??
      ""
    ).replaceAll('"memory.db"', JSON.stringify(database));
    const promised = Array.from(program.matchAll(/console\.log\(.*?\); \/\/ (.*)$/gm), ([, text]) => text);
    expect(promised.length).toBeGreaterThan(0);
    expect(runSource(["--input-type=module-typescript", "-e", program]).trimEnd().split("\n")).toEqual(
      promised,
    );
  },
);

test.for(["README.md", "docs/guide/your-own-agent.md"])(
  "the agent of %s calls a tool, and answers",
  (page) => {
    const place = new Installation();
    place.write("project/notes.txt", "");
    const model = place.write(
      "your-model.ts",
      `export async function complete(messages, tools) {
      if (!tools.some(({ function: { name } }) => name === "glob")) throw new Error("no tools");
      const last = messages.at(-1);
      if (last.role === "tool") return { role: "assistant", content: "I see " + last.content };
      const call = { name: "glob", arguments: '{"pattern":"*"}' };
      return { role: "assistant", tool_calls: [{ id: "1", type: "function", function: call }] };
    }`,
    );
    const program = (/```ts\n(import \{ createApp[\s\S]*?)```/.exec(readFileSync(page, "utf8"))?.[1] ?? "")
      .replace('"./your-model.ts"', JSON.stringify(pathToFileURL(model).href))
      .replace('folder: "."', `folder: ${JSON.stringify(place.folder)}`)
      .replace("new Home()", `new Home(${JSON.stringify(place.home.folder)})`);
    expect(runSource(["--input-type=module-typescript", "-e", program])).toMatch(/^I see [\s\S]*notes\.txt/);
  },
);

test.for(globSync("examples/*/main.ts").sort())("%s runs and asserts", (file) => {
  expect(runSource([file])).not.toBe("");
});

test("there are examples", () => {
  expect(globSync("examples/*/main.ts").length).toBeGreaterThan(2);
});

test("docs/security.md names, for each published fault, a test that is there", () => {
  const rows = Array.from(
    readFileSync("docs/security.md", "utf8").matchAll(/\[([^\]]+)\]\(\.\.\/((?:src|test)\/[^)]+)\)/g),
    ([, name, file]) => ({ name: (name as string).replaceAll("\\", ""), file: file as string }),
  );
  expect(rows.length).toBeGreaterThan(40);
  expect(rows.filter(({ name, file }) => !readFileSync(file, "utf8").includes(name))).toEqual([]);
});

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "AGENTS.md",
  "CHANGELOG.md",
  "bench/README.md",
  ...globSync("docs/**/*.md"),
];

test.for(pages)("%s links only to what is there", (page) => {
  const links = Array.from(
    readFileSync(page, "utf8").matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g),
    ([, link]) => link as string,
  );
  expect(links.filter((link) => !existsSync(resolve(dirname(page), link)))).toEqual([]);
});

test("AGENTS.md stays under 100 lines", () => {
  expect(readFileSync("AGENTS.md", "utf8").split("\n").length).toBeLessThan(100);
});

function runSource(args: readonly string[]): string {
  return execFileSync(process.execPath, ["--conditions=haft-source", ...args], { encoding: "utf8" });
}

test("docs/reference/tools.md has the tools that there are (`npm run catalogue` writes it anew)", () => {
  const page = readFileSync("docs/reference/tools.md", "utf8");
  expect(page).toBe(renderToolsPage(page));
});
