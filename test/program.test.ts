import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, inject, test } from "vitest";
import { ownPrograms } from "../scripts/bundled.ts";
import { finish, Place } from "./e2e/cli-process.ts";
import { needs } from "./support/needs.ts";
import { useScriptedProvider } from "./support/scripted-provider.ts";

const built = inject("built");
const { exports: subpaths } = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Record<string, string | { default: string }>;
};
const published = Object.entries(subpaths).flatMap(([subpath, target]) =>
  typeof target === "string" ? [] : [{ subpath, url: toUrl(target.default) }],
);

function toUrl(path: string): string {
  return pathToFileURL(join(built, path)).href;
}

const clientInfo = { name: "test", version: "1" };
const firstList = [
  { id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
]
  .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  .join("");

/** The names of the files that the program loads until it has answered. */
async function countFiles(place: Place, args: readonly string[], input = ""): Promise<string[]> {
  const files = await count("files", place, args, input);
  return files.map((path) => basename(path)).filter((name) => !name.endsWith(".mjs"));
}

async function count(what: string, place: Place, args: readonly string[], input = ""): Promise<string[]> {
  const file = join(place.home, "count.json");
  const hook = new URL(`support/count-${what}.mjs`, import.meta.url).href;
  const ended = await place.run(args, input, { HAFT_COUNT: file, NODE_OPTIONS: `--import=${hook}` });
  expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
  return JSON.parse(readFileSync(file, "utf8")) as string[];
}

const config = `
permissions:
  - { decision: deny, effect: write, target: "**/*.lock" }
  - { decision: allow, tool: read }
store: { durability: normal }
`;

// Each file costs a quarter of a millisecond. A bound that is passed is a chunk that is loaded too early, or one too many.
test("the first list of haft mcp loads few files, and none of the MCP client or the store", async () => {
  const place = new Place();
  writeFileSync(join(place.home, "config.yml"), config);
  const files = await countFiles(place, ["mcp"], firstList);
  expect(files.length).toBeLessThanOrEqual(46);
  expect(
    files.filter((name) => /^(sdk|connections|sqlite-driver|open-store|undici|prove)-/.test(name)),
  ).toEqual([]);
});

test("the first list of haft mcp with an MCP server behind it loads few files", async () => {
  const place = new Place();
  const server = { command: process.execPath, args: [join(built, "test/fixtures/mcp/interop-stdio.js")] };
  writeFileSync(join(place.home, "config.yml"), `${config}mcpServers: ${JSON.stringify({ one: server })}\n`);
  // The first start in a home makes its store.
  await countFiles(place, ["mcp"], firstList);
  const files = await countFiles(place, ["mcp"], firstList);
  expect(files.length).toBeLessThanOrEqual(76);
});

test("haft call read and haft tools load few files", async () => {
  const place = new Place();
  writeFileSync(join(place.home, "config.yml"), config);
  writeFileSync(join(place.folder, "a.txt"), "Some text.\n");
  // The first call in a home makes its store.
  expect(await place.run(["call", "read", '{"path":"a.txt"}'])).toMatchObject({ exitCode: 0 });
  expect((await countFiles(place, ["call", "read", '{"path":"a.txt"}'])).length).toBeLessThanOrEqual(48);
  expect((await countFiles(place, ["tools"])).length).toBeLessThanOrEqual(38);
});

test("haft call read learns the secrets of its home without the query library, and none of memory's tools", async () => {
  const place = new Place();
  writeFileSync(join(place.home, "config.yml"), config);
  writeFileSync(join(place.folder, "a.txt"), "The word is sesame-0123456789.\n");
  expect(await place.run(["secret", "set", "WORD"], "sesame-0123456789")).toMatchObject({ exitCode: 0 });
  const call = ["call", "read", '{"path":"a.txt"}'];
  const { stdout } = await place.run(call);
  expect(stdout).toContain("The word is");
  expect(stdout).not.toContain("sesame-0123456789");
  const files = await countFiles(place, call);
  expect(files.filter((name) => /^(sqlite-driver|sql|memory-files|undici)-/.test(name))).toEqual([]);
});

test("haft run loads few files until its answer, and none of the MCP client or of a schema validator", async () => {
  const place = new Place();
  await useScriptedProvider(place, () => ({ text: "Hello." }));
  // The first run in a home makes its store.
  expect(await place.run(["run", "Say hello"])).toMatchObject({ exitCode: 0 });
  const files = await countFiles(place, ["run", "Say hello"]);
  expect(files.length).toBeLessThanOrEqual(70);
  expect(files.filter((name) => /^(sdk|connections|ajv|prove|prompts|files|tools)-/.test(name))).toEqual([]);
});

test("haft run sends its first request without Node's own fetch and HTTP/2, which load a second HTTP client", async () => {
  const place = new Place();
  await useScriptedProvider(place, () => ({ text: "Hello." }));
  const builtins = await count("builtins", place, ["run", "Say hello"]);
  expect(builtins).toContain("NativeModule net");
  expect(builtins).not.toContain("NativeModule internal/deps/undici/undici");
  expect(builtins).not.toContain("NativeModule http2");
});

test("each subpath of the built package exports its names, and one class is the same by any", async () => {
  const { stdout, stderr } = await runNode(`
    const modules = await Promise.all(${JSON.stringify(published)}.map(async ({ subpath, url }) => [subpath, await import(url)]));
    const names = Object.fromEntries(modules.map(([subpath, module]) => [subpath, Object.keys(module).sort()]));
    const [root, app, kernel] = [".", "./app", "./kernel"].map((subpath) => new Map(modules).get(subpath));
    const isShared = root.ToolExecutor === kernel.ToolExecutor && app.ConfigError !== undefined;
    console.log(JSON.stringify({ names, isShared }));
  `);
  expect(stderr).toBe("");
  const { names, isShared } = JSON.parse(stdout) as { names: Record<string, string[]>; isShared: boolean };
  expect(isShared).toBe(true);
  for (const { subpath } of published) {
    const pin = `test/pins/exports-${subpath.replace(/^\.\/?/, "").replaceAll("/", "-") || "root"}.txt`;
    expect(`${names[subpath]?.join("\n")}\n`, subpath).toBe(readFileSync(pin, "utf8"));
  }
});

test("each program and thread of the built package finds all that it imports", async () => {
  const urls = ownPrograms.map((source) => toUrl(source.replace(/^src/, "dist").replace(/\.ts$/, ".js")));
  // Without what they work with they fail or wait: what is asked is only whether they can be loaded.
  const { stdout } = await runNode(`
    const { Worker } = await import("node:worker_threads");
    const wrong = await Promise.all(${JSON.stringify(urls)}.map((url) => new Promise((done) => {
      const worker = new Worker(new URL(url), { workerData: {}, stdout: true, stderr: true, stdin: true });
      worker.on("error", (error) => done(error.code === "ERR_MODULE_NOT_FOUND" || error.name === "SyntaxError" ? [url, error.message] : []));
      worker.on("exit", () => done([]));
      worker.on("online", () => setImmediate(() => worker.stdin.end()));
      worker.on("message", () => done([]));
    })));
    console.log(JSON.stringify(wrong.flat()));
    process.exit();
  `);
  expect(JSON.parse(stdout)).toEqual([]);
});

test(
  "an installation that is closed leaves no connection and no timer, and lets the process end",
  needs("sandbox", inject("isolation") === "bubblewrap"),
  async () => {
    const place = new Place();
    const server = { command: process.execPath, args: [join(built, "test/fixtures/mcp/interop-stdio.js")] };
    writeFileSync(join(place.home, "config.yml"), `mcpServers: ${JSON.stringify({ one: server })}\n`);
    writeFileSync(join(place.folder, "a.txt"), "Some text.\n");
    const { stdout, exitCode } = await runNode(`
      const { createApp, Home } = await import(${JSON.stringify(toUrl("dist/public/app.js"))});
      const app = await createApp({ folder: ${JSON.stringify(place.folder)}, home: new Home(${JSON.stringify(place.home)}) });
      app.background.start([app.context], 0);
      await app.sources.ready();
      const { text } = await app.executor.run("read", { path: "a.txt" }, app.context);
      await app.sandbox.report();
      await app.close();
      const find = () => process.getActiveResourcesInfo().filter((name) => !/^(?:TTYWrap|PipeWrap|Immediate)$/.test(name));
      // A helper that was told to end takes a moment.
      while (find().includes("ProcessWrap")) await new Promise(setImmediate);
      console.log(JSON.stringify({ text, left: find() }));
    `);
    expect(JSON.parse(stdout)).toMatchObject({ text: expect.stringContaining("Some text."), left: [] });
    expect(exitCode).toBe(0);
  },
);

async function runNode(code: string) {
  const { spawn } = await import("node:child_process");
  return finish(
    spawn(process.execPath, ["--input-type=module", "--eval", code], { stdio: ["ignore", "pipe", "pipe"] }),
  );
}
