import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Figures, runBench, type Subject } from "./harness.ts";
import { closedLoop } from "./mcp/closed-loop.ts";
import { markedProcesses, toMark } from "./mcp/marked-processes.ts";
import { connectHttp, connectStdio, type ThinClient, talkHttp, talkStdio } from "./mcp/thin-client.ts";
import { PlainTexts } from "./memory/plain-texts.ts";
import { type Home, importInstalled, openHome, openProgram } from "./program.ts";

// Calls of built-in tools through the program as installed, by its MCP server: node bench/calls.ts

const era = "2025-11-25";
const one = "ms";
const many = "calls/s of 64 callers";
const memories = 4266;
const mark = `calls-${process.pid}`;

type Open = () => Promise<ThinClient>;

const openStdio: Open = () => {
  const { environment, project } = openHome("calls");
  return haftStdio(environment, project);
};

function haftStdio(environment: NodeJS.ProcessEnv, project: string): Promise<ThinClient> {
  const args = [openProgram().file, "mcp", "--expose", "all", "--folder", project];
  const child = spawn(process.execPath, args, {
    cwd: project,
    env: { ...environment, ...toMark(mark) },
    stdio: ["pipe", "pipe", "ignore"],
  });
  return talkStdio(child, era);
}

const openServe: Open = async () => {
  const { environment, project } = openHome("calls");
  const args = [openProgram().file, "serve", "--port", "0", "--json", "--expose", "all", "--folder", project];
  const child = spawn(process.execPath, args, {
    cwd: project,
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise<string>((resolve) => lines.once("line", resolve));
  const { url, tokenFile } = JSON.parse(line) as { url: string; tokenFile: string };
  const client = await talkHttp({
    url,
    era,
    isSession: true,
    token: readFileSync(tokenFile, "utf8").trim(),
  });
  return {
    call: client.call,
    async close() {
      await client.close();
      child.kill("SIGKILL");
    },
  };
};

const openFloor: Open = () => connectStdio("floor-server.ts", era);
const openFloorHttp: Open = () => connectHttp("floor-server.ts", "http", era);
const openSdk1: Open = () => connectStdio("sdk1-server.ts", era);

/** The arguments of the nth call. */
type FindArguments = (at: number) => Record<string, unknown>;

const echo: FindArguments = () => ({ path: "/tmp/some/file", limit: 100, recursive: true });

function calls(
  name: string,
  open: Open,
  tool: string,
  findArguments: FindArguments,
  callers = [1, 64],
): Subject {
  return {
    name,
    async measure() {
      const client = await open();
      let at = 0;
      const call = async () => {
        const text = await client.call("tools/call", { name: tool, arguments: findArguments(at++) });
        if (text.includes('"isError":true') || text.includes('"error":'))
          throw new Error(`Cannot measure: it said ${text.slice(0, 500)}`);
      };
      const figures: Record<string, number> = {};
      await closedLoop(call, Math.max(...callers), 700);
      if (callers.includes(1)) figures[one] = (await closedLoop(call, 1, 700)).p50;
      if (callers.includes(64)) figures[many] = (await closedLoop(call, 64, 900)).perSecond;
      await client.close();
      return figures;
    },
  };
}

/** The same sandbox's program by hand, for the least that a command can cost. */
function commands(name: string, command: string, args: readonly string[]): Subject {
  return {
    name,
    async measure() {
      const run = () =>
        new Promise<void>((resolve, reject) => {
          const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
          child.once("error", reject);
          child.once("close", (code) => {
            if (code === 0) resolve();
            else reject(new Error(`Cannot measure "${name}": it ended with ${code}`));
          });
        });
      await closedLoop(run, 1, 500);
      return { [one]: (await closedLoop(run, 1, 1000)).p50 };
    },
  };
}

interface MemoryStore {
  readonly memory: {
    edit(scope: string, edits: readonly object[], options: { readonly by: string }): Promise<unknown>;
  };
  close(): Promise<void>;
}

interface StoreModule {
  readonly openStore: (options: { readonly path: string }) => Promise<MemoryStore>;
}

const texts = new PlainTexts();

/** A home of its own, with {@link memories} entries. */
async function openMemoryHome(): Promise<Home> {
  const home = openHome(`memories-${process.pid}`);
  const { openStore } = await importInstalled<StoreModule>("haft/store");
  const store = await openStore({ path: join(home.environment["HAFT_HOME"] ?? "", "haft.db") });
  const entries = Array.from({ length: memories }, (_, at) => ({
    do: "create_block",
    entry: { kind: "memory", text: texts.text(at) },
  }));
  for (let at = 0; at < memories; at += 1000)
    await store.memory.edit("local", entries.slice(at, at + 1000), { by: "import:bench" });
  await store.close();
  return home;
}

const openMemories: Open = async () => {
  const { environment, project } = await openMemoryHome();
  return haftStdio(environment, project);
};

/** After the first list, and after 20,000 calls of what costs least. */
async function measureResident(): Promise<Figures> {
  const client = await openStdio();
  await client.call("tools/list", {});
  const find = () => markedProcesses(mark).reduce((sum, { residentMiB }) => sum + residentMiB, 0);
  const idle = find();
  const call = () => client.call("tools/call", { name: "current_time", arguments: {} });
  for (let done = 0; done < 20_000; done += 50) await Promise.all(Array.from({ length: 50 }, call));
  const later = find();
  await client.close();
  return { "MiB at the first list": idle, "MiB after 20,000 calls": later };
}

const floor = "floor: a server that answers from constants";
const peer = "peer: SDK v1 server, a tool that does nothing";
const byHand = "floor: bwrap bash -c true";
const bubblewrap = [
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  "--unshare-all",
  "--die-with-parent",
];
const callSources = ["src/kernel", "src/server/mcp", "src/db", "src/app"];

await runBench(import.meta.url, [
  {
    title: "haft mcp, stdio",
    isInstalled: true,
    rows: [
      {
        what: "`current_time` by `haft mcp`, 1 caller",
        figure: one,
        ours: "haft: current_time",
        floor,
        peer,
        paths: [...callSources, "src/modules/system"],
      },
      {
        what: "`current_time` by `haft mcp`",
        figure: many,
        ours: "haft: current_time",
        floor,
        peer,
        paths: [...callSources, "src/modules/system"],
      },
      {
        what: "`read` of a small file by `haft mcp`, 1 caller",
        figure: one,
        ours: "haft: read",
        floor,
        peer,
        paths: [...callSources, "src/modules/files", "src/host"],
      },
    ],
    subjects: [
      calls(floor, openFloor, "echo", echo),
      calls("haft: current_time", openStdio, "current_time", () => ({})),
      calls("haft: read", openStdio, "read", () => ({ path: "small.txt" })),
      calls(peer, openSdk1, "echo", echo),
    ],
  },
  {
    title: "haft serve, HTTP",
    isInstalled: true,
    rows: [
      {
        what: "`read` of a small file by `haft serve`",
        figure: many,
        ours: "haft: read",
        floor,
        peer,
        reach: "≥ 6,000",
        paths: [...callSources, "src/modules/files", "src/host"],
      },
    ],
    subjects: [
      calls(floor, openFloorHttp, "echo", echo, [64]),
      calls("haft: read", openServe, "read", () => ({ path: "small.txt" }), [64]),
      calls(peer, () => connectHttp("sdk1-server.ts", "http", era), "echo", echo, [64]),
    ],
  },
  {
    title: "a command in the sandbox",
    isInstalled: true,
    rows: [
      {
        what: "`bash true` by `haft mcp`",
        figure: one,
        ours: "haft: bash true",
        floor: byHand,
        reach: "≤ 1.3 × the floor",
        paths: ["src/modules/shell", "src/host", "src/kernel"],
      },
    ],
    subjects: [
      commands(byHand, "bwrap", [...bubblewrap, "bash", "-c", "true"]),
      commands("floor: bash -c true", "bash", ["-c", "true"]),
      calls("haft: bash true", openStdio, "bash", () => ({ command: "true" }), [1]),
    ],
  },
  {
    title: `memory, ${memories} entries`,
    isInstalled: true,
    rows: [
      {
        what: "`memory_store`",
        figure: one,
        ours: "haft: memory_store",
        floor,
        reach: "≤ 2",
        paths: ["src/modules/memory", "src/app/store", "src/db", "src/kernel"],
      },
      {
        what: `\`memory_recall\` of ${memories} entries`,
        figure: one,
        ours: "haft: memory_recall",
        floor,
        reach: "≤ 6",
        paths: ["src/modules/memory", "src/app/store", "src/db", "src/kernel"],
      },
    ],
    subjects: [
      calls(floor, openFloor, "echo", echo, [1]),
      calls(
        "haft: memory_store",
        openMemories,
        "memory_store",
        (at) => ({ content: texts.text(memories + at) }),
        [1],
      ),
      calls(
        "haft: memory_recall",
        openMemories,
        "memory_recall",
        (at) => ({ query: texts.question(at) }),
        [1],
      ),
    ],
  },
  {
    title: "resident memory",
    isInstalled: true,
    rows: [
      {
        what: "resident memory of `haft mcp`",
        figure: "MiB at the first list",
        ours: "haft mcp",
        reach: "≤ 80",
        paths: ["src", "scripts/build.ts"],
      },
      {
        what: "resident memory of `haft mcp`",
        figure: "MiB after 20,000 calls",
        ours: "haft mcp",
        reach: "≤ 150",
        paths: ["src", "scripts/build.ts"],
      },
    ],
    subjects: [{ name: "haft mcp", measure: measureResident }],
  },
]);
