import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect, test } from "vitest";
import { bundledPackages } from "../scripts/bundled.ts";

/** The order of the folders of src/, from the ground up: a folder imports what stands before its own line. */
const order: readonly (readonly string[])[] = [
  ["base"],
  ["kernel"],
  ["search", "formats", "schema", "model"],
  ["host", "db"],
  ["modules"],
  ["sources", "mcp", "providers", "adapters"],
  ["agent"],
  ["app"],
  ["testing"],
  ["server"],
  // What the package exports of folders that have more to say to each other; nothing within haft imports it.
  ["cli", "public"],
];
const getRank = (folder: string) => order.findIndex((folders) => folders.includes(folder));

/** Files directly in src/: the public root, and the one file that knows every edge. */
const roots: Readonly<Record<string, readonly string[]>> = {
  "src/index.ts": ["kernel", "formats", "public", "schema"],
  "src/main.ts": ["app", "cli"],
};

/** The folder of each module that has its tools: `tools/`, or all of the module if it has none. */
const toolFolders = globSync("src/modules/*/module.ts").map((file) => {
  const folder = `${dirname(file)}/`;
  return existsSync(`${folder}tools`) ? `${folder}tools/` : folder;
});

/** The only place that imports a package: the beginning of a path, or a pattern. */
const doors: Readonly<Record<string, string | RegExp | readonly string[]>> = {
  ajv: "src/schema/",
  "ajv-formats": "src/schema/",
  zod: toolFolders,
  kysely: /^src\/(db|modules\/[^/]+\/(store|migrations))\//,
  unbash: "src/modules/shell/",
  undici: "src/host/",
  "ipaddr.js": "src/host/",
  "@vscode/ripgrep": "src/host/",
  linkedom: "src/modules/web/",
  "@mozilla/readability": "src/modules/web/",
  turndown: "src/modules/web/",
  "turndown-plugin-gfm": "src/modules/web/",
  unpdf: "src/modules/files/",
  "quickjs-emscripten-core": "src/modules/script/",
  "@jitl/quickjs-wasmfile-release-sync": "src/modules/script/",
  re2js: "src/",
  yaml: ["src/app/", "src/sources/", "src/modules/memory/portable/"],
  "smol-toml": "src/app/client-configs/",
  // Lent to extensions, by name.
  typebox: "src/sources/extensions/",
  "jsonc-parser": "src/app/client-configs/",
  ws: "src/host/",
  "@modelcontextprotocol/client": "src/mcp/client/",
  commander: "src/cli/",
  "@clack/prompts": "src/cli/",
  marked: "src/cli/chat/",
  "gpt-tokenizer": "src/app/costs/",
  "@huggingface/transformers": "src/modules/embeddings/",
  "@napi-rs/keyring": "src/app/",
  "@agentclientprotocol/sdk": "src/server/acp/",
  "@ai-sdk/provider": "src/providers/ai-sdk/",
  "@ai-sdk/openai-compatible": "src/providers/ai-sdk/",
  "@ai-sdk/anthropic": "src/providers/ai-sdk/",
  "@ai-sdk/openai": "src/providers/ai-sdk/",
  "@ai-sdk/google": "src/providers/ai-sdk/",
  "@openrouter/ai-sdk-provider": "src/providers/ai-sdk/",
};

function isBehind(door: string | RegExp | readonly string[], file: string): boolean {
  return door instanceof RegExp ? door.test(file) : [door].flat().some((folder) => file.startsWith(folder));
}

/** Modules of Node that are a power over the machine: only src/host may hold them. */
const powers = /^node:(child_process|net|tls|dgram|dns|http|https|http2|cluster|inspector)(\/|$)/;
/** node:fs is one too. These folders read and write files of haft's own, never a user's. */
const ownFiles = [
  "src/host/",
  "src/db/",
  "src/modules/artifacts/store/",
  "src/modules/embeddings/",
  "src/app/",
  "src/server/running/",
  "src/server/root-project.ts",
  "src/cli/",
  // Runs in the sandbox, and writes to the one descriptor on which it speaks with haft.
  "src/sources/extensions/worker/channel.ts",
];

interface Import {
  readonly file: string;
  readonly target: string;
}

const files = globSync("src/**/*.ts", { exclude: (name) => name.endsWith(".test.ts") }).map((file) =>
  normalize(file),
);
const sources = files.filter((file) => !file.endsWith(".test.ts"));
const imports = sources.flatMap(listImports);

function listImports(file: string): Import[] {
  const code = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const found = code.matchAll(
    /(?:^|[\s;])(?:import|export)\s(?:[^"';]*?\sfrom\s)?["']([^"']+)["']|(?:import|(?<!\.)require|createRequire\(import\.meta\.url\))\(\s*["']([^"']+)["']|import\.meta\.resolve\(\s*["']([^"']+)["']|new URL\(\s*["'](\.[^"']+)["'], import\.meta\.url/g,
  );
  return Array.from(found, (match) => ({
    file,
    target: (match[1] ?? match[2] ?? match[3] ?? match[4]) as string,
  }));
}

function findFolder(file: string): string {
  return file.split("/")[1] as string;
}

const local = imports
  .filter(({ target }) => target.startsWith("."))
  .map(({ file, target }) => ({ file, target: join(dirname(file), target) }));
const bare = imports.filter(({ target }) => !target.startsWith("."));

test("the scan of src/ sees the house", () => {
  expect(sources.length).toBeGreaterThan(90);
  expect(imports.length).toBeGreaterThan(300);
  expect(order.flat()).toEqual(
    expect.arrayContaining([...new Set(sources.map(findFolder))].filter((name) => !name.endsWith(".ts"))),
  );
});

test("folders import only what lies below them", () => {
  const wrong = local.filter((one) => {
    const from = findFolder(one.file);
    const to = findFolder(one.target);
    if (from === to) return false;
    const below = roots[one.file];
    return below === undefined ? getRank(to) >= getRank(from) : !below.includes(to);
  });
  expect(wrong).toEqual([]);
});

/** A feature's folder, or a folder of src/. */
function findRoom(file: string): string {
  return /^src\/(?:modules\/[^/]+|[^/]+)/.exec(file)?.[0] as string;
}

/** What a module is, as data; and parts of a folder that are loaded late, and so have an index.ts of their own; and what of `public` the root exports too. */
const lateParts =
  /^src\/modules\/([^/]+\/)?module\.ts$|^src\/(modules\/[^/]+\/(tools|migrations)|modules\/(?:memory\/upkeep|ledger\/columns)|server\/(acp|bridge|mcp|running)|app\/(store|views|servers|memory|checks|usage|tasks))\/index\.ts$|^src\/public\/(formats|kernel)\.ts$/;

test("a folder is entered by its index.ts", () => {
  const wrong = local.filter(
    (one) =>
      findRoom(one.file) !== findRoom(one.target) &&
      one.target !== `${findRoom(one.target)}/index.ts` &&
      !lateParts.test(one.target),
  );
  expect(wrong).toEqual([]);
});

test("base and kernel import no package and no module of Node", () => {
  expect(bare.filter(({ file }) => file.startsWith("src/base/") || file.startsWith("src/kernel/"))).toEqual(
    [],
  );
});

test("a package is imported by its door alone, and every package has one", () => {
  const packages = bare.filter(({ target }) => !target.startsWith("node:"));
  const wrong = packages.filter(({ file, target }) => {
    const name = target
      .split("/")
      .slice(0, target.startsWith("@") ? 2 : 1)
      .join("/");
    return !isBehind(doors[name] ?? [], file);
  });
  expect(wrong).toEqual([]);
});

const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync("package.json", "utf8"),
) as Readonly<Record<"dependencies" | "optionalDependencies" | "peerDependencies", Record<string, string>>>;

test("every dependency of package.json has a door, those that may be absent too", () => {
  const named = { ...dependencies, ...optionalDependencies, ...peerDependencies };
  expect([...Object.keys(named), ...bundledPackages].sort()).toEqual(Object.keys(doors).sort());
});

test("an optional peer, which no import names for the compiler's sake, is named behind its door alone", () => {
  const namers = Object.keys(peerDependencies).map((name) => ({
    name,
    files: sources.filter((file) => readFileSync(file, "utf8").includes(`"${name}"`)),
  }));
  expect(namers.filter(({ files }) => files.length === 0)).toEqual([]);
  const wrong = namers.flatMap(({ name, files }) =>
    files.filter((file) => !isBehind(doors[name] ?? [], file)),
  );
  expect(wrong).toEqual([]);
});

test("only src/host holds a power over the machine", () => {
  const wrong = bare.filter(
    ({ file, target }) =>
      (powers.test(target) && !file.startsWith("src/host/")) ||
      (/^node:fs(\/|$)/.test(target) && !ownFiles.some((folder) => file.startsWith(folder))),
  );
  expect(wrong).toEqual([]);
});

test("only src/host reads the environment, and nobody uses the global fetch", () => {
  const wrong = sources.flatMap((file) => {
    const code = readFileSync(file, "utf8")
      .replace(/\/\*[\s\S]*?\*\//g, "")
      .replace(/\/\/.*$/gm, "");
    const found: string[] = [];
    if (/\bprocess\.env\b/.test(code) && !file.startsWith("src/host/"))
      found.push(`${file} reads process.env`);
    if (/(?<![.\w])fetch\(/.test(code) && !file.startsWith("src/host/")) found.push(`${file} calls fetch`);
    return found;
  });
  expect(wrong).toEqual([]);
});

test("no file is longer than 500 lines of code", () => {
  const long = sources.flatMap((file) => {
    const lines = readFileSync(file, "utf8").split("\n").length;
    return lines > 500 ? [`${relative(".", file)}: ${lines}`] : [];
  });
  expect(long).toEqual([]);
});

test("no folder has more than 25 files beside their tests", () => {
  const folders = Array.from(Map.groupBy(sources, (file) => dirname(file)));
  const full = folders.filter(([, { length }]) => length > 25).map(([folder]) => folder);
  expect(full).toEqual([]);
});
