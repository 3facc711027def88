import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Figures, runBench, type Subject } from "./harness.ts";
import { everything } from "./mcp/gateways.ts";
import { openHome, openProgram } from "./program.ts";

// From the start of the process to its first answer: node bench/start.ts --rounds 9
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const command = process.execPath;
const times = 5;

type FindArgs = () => readonly string[];

function haft(...args: string[]): FindArgs {
  return () => [openProgram().file, ...args];
}

/** The best of some runs: what else the machine does only ever makes one slower. */
async function best(run: () => number | Promise<number>): Promise<Figures> {
  const all: number[] = [];
  for (let done = 0; done < times; done++) all.push(await run());
  return { ms: Math.min(...all) };
}

function wholeProcess(name: string, findArgs: FindArgs): Subject {
  return {
    name,
    measure() {
      const { environment, project } = openHome("start");
      return best(() => {
        const start = performance.now();
        const { status, stderr } = spawnSync(command, findArgs(), {
          cwd: project,
          env: environment,
          encoding: "utf8",
        });
        const ms = performance.now() - start;
        if (status !== 0) throw new Error(`Cannot measure "${name}": ${stderr}`);
        return ms;
      });
    },
  };
}

function toFirstList(name: string, findArgs: FindArgs, mcpServers?: object): Subject {
  return {
    name,
    measure() {
      const { environment, project } = openHome(
        mcpServers === undefined ? "start" : "start-servers",
        mcpServers,
      );
      return best(() => timeFirstList(findArgs(), project, environment));
    },
  };
}

/** Each run in a home where haft has never been; its store, keys and the proof of its sandbox are made. */
function toFirstListInNewHome(name: string, findArgs: FindArgs): Subject {
  return {
    name,
    measure: () =>
      best(async () => {
        const { environment, project } = openHome("start");
        const home = mkdtempSync(join(tmpdir(), "haft-bench-home-"));
        copyFileSync(join(environment["HAFT_HOME"] ?? "", "config.yml"), join(home, "config.yml"));
        const ms = await timeFirstList(findArgs(), project, { ...environment, HOME: home, HAFT_HOME: home });
        rmSync(home, { recursive: true, force: true });
        return ms;
      }),
  };
}

async function timeFirstList(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  const start = performance.now();
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "bench", version: "1" };
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  });
  const ms = await new Promise<number>((done, fail) => {
    let text = "";
    let isAsked = false;
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (!isAsked && text.includes("\n")) {
        isAsked = true;
        send({ method: "notifications/initialized" });
        send({ id: 2, method: "tools/list" });
      }
      if (text.includes('"id":2')) done(performance.now() - start);
    });
    child.once("exit", (code) => fail(new Error(`Cannot measure: it ended with ${code}`)));
  });
  // A process that ends by itself writes its compile cache.
  child.stdin.end();
  await ended;
  return ms;
}

const nothing = "floor: node -e 0";
const constants = "floor: answers from constants";
const sdk1 = "peer: SDK v1 server, one tool";
const call = "haft call read";
const list = "haft mcp";
const newHome = "haft mcp, a new home";
const servers = "haft mcp, a server behind it";
const measured = { figure: "ms", paths: ["src", "scripts/build.ts", "bin"] } as const;

await runBench(import.meta.url, [
  {
    title: "the whole process",
    isInstalled: true,
    rows: [
      { ...measured, what: "`haft --version`", ours: "haft --version", floor: nothing },
      { ...measured, what: "`haft tools`", ours: "haft tools", floor: nothing, reach: "≤ 5 × the floor" },
      { ...measured, what: "`haft call read`", ours: call, floor: nothing, reach: "≤ 5 × the floor" },
    ],
    subjects: [
      wholeProcess(nothing, () => ["-e", "0"]),
      wholeProcess("haft --version", haft("--version")),
      wholeProcess("haft --help", haft("--help")),
      wholeProcess("haft tools", haft("tools")),
      wholeProcess(call, haft("call", "read", '{"path":"small.txt"}')),
    ],
  },
  {
    title: "start to the first tools/list on stdio",
    isInstalled: true,
    rows: [
      {
        ...measured,
        what: "start to the first `tools/list`",
        ours: list,
        floor: constants,
        peer: sdk1,
        reach: "≤ 3 × the floor; ≤ 0.9 × the peer",
      },
      { ...measured, what: "the same in a new home", ours: newHome, floor: constants, peer: sdk1 },
      {
        ...measured,
        what: "the same with an MCP server behind it",
        ours: servers,
        floor: constants,
        peer: sdk1,
      },
    ],
    subjects: [
      toFirstList(constants, () => [here("mcp/floor-server.ts"), "stdio"]),
      toFirstList(list, haft("mcp")),
      toFirstListInNewHome(newHome, haft("mcp")),
      toFirstList(servers, haft("mcp"), { everything: { command, args: everything } }),
      toFirstList(sdk1, () => [here("mcp/sdk1-server.ts"), "stdio"]),
      toFirstList("peer: SDK v2 server, one tool", () => [here("mcp/sdk2-server.ts"), "stdio"]),
    ],
  },
]);
