import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Figures, runBench, type Subject } from "./harness.ts";

// From the start of the process to its first answer: npm run build && node bench/start.ts --rounds 9
const inRepository = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const built = inRepository("dist/main.js");
if (!existsSync(built))
  throw new Error("Cannot measure the start: there is no dist/main.js; run `npm run build` first");

/** Kept from round to round, as on a user's machine. */
const compileCache = join(tmpdir(), "haft-bench-compile-cache");

function wholeProcess(name: string, args: readonly string[]): Subject {
  return {
    name,
    async measure(): Promise<Figures> {
      const start = performance.now();
      spawnSync(process.execPath, args, { env: environment(), stdio: "ignore" });
      return { ms: performance.now() - start };
    },
  };
}

function toFirstList(name: string, args: readonly string[]): Subject {
  return {
    name,
    async measure(): Promise<Figures> {
      const home = mkdtempSync(join(tmpdir(), "haft-bench-home-"));
      const start = performance.now();
      const child = spawn(process.execPath, args, {
        cwd: home,
        env: { ...environment(), HAFT_HOME: home },
        stdio: ["pipe", "pipe", "ignore"],
      });
      const send = (message: object) =>
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      const clientInfo = { name: "bench", version: "1" };
      send({
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
      });
      const ms = await new Promise<number>((done) => {
        let text = "";
        let asked = false;
        child.stdout.on("data", (chunk: Buffer) => {
          text += chunk.toString();
          if (!asked && text.includes("\n")) {
            asked = true;
            send({ method: "notifications/initialized" });
            send({ id: 2, method: "tools/list" });
          }
          if (text.includes('"id":2')) done(performance.now() - start);
        });
      });
      // A process that ends by itself writes its compile cache.
      child.stdin.end();
      await new Promise((ended) => child.on("exit", ended));
      rmSync(home, { recursive: true, force: true });
      return { ms };
    },
  };
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_COMPILE_CACHE: compileCache };
}

await runBench(import.meta.url, [
  {
    title: "the whole process",
    subjects: [
      wholeProcess("floor: node -e 0", ["-e", "0"]),
      wholeProcess("haft --version", [built, "--version"]),
      wholeProcess("haft --help", [built, "--help"]),
    ],
  },
  {
    title: "start to the first tools/list on stdio",
    subjects: [
      toFirstList("floor: answers from constants", [inRepository("bench/mcp/floor-server.ts"), "stdio"]),
      toFirstList("haft mcp, 23 tools", [built, "mcp"]),
      toFirstList("SDK v1 server, one tool", [inRepository("bench/mcp/sdk1-server.ts"), "stdio"]),
      toFirstList("SDK v2 server, one tool", [inRepository("bench/mcp/sdk2-server.ts"), "stdio"]),
    ],
  },
]);
