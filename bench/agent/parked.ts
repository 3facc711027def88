import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import type { Figures } from "../harness.ts";
import { markedProcesses, toMark } from "../mcp/marked-processes.ts";
import { type Home, importInstalled, openHome, openProgram } from "../program.ts";
import { serveModel } from "./model-server.ts";

/** Longer than an idle service takes to give back what its work left in the heap. */
const idleMs = 15_000;
/** What a service takes at most to start, with all that it begins in the background. */
const startMs = 10_000;
const lookMs = 250;
const mark = `parked-${process.pid}`;

interface AppModule {
  readonly createApp: (options: object) => Promise<App>;
  readonly Home: new (folder: string) => object;
}

interface App extends AsyncDisposable {
  readonly sources: { listed(): Promise<unknown> };
  agent(): Promise<{ begin(turn: object): Promise<unknown> }>;
  store(): Promise<{
    readonly approvals: Listed;
    readonly runs: Listed;
  }>;
}

interface Listed {
  list(filter: object): Promise<readonly { readonly state: string }[]>;
}

/**
 * The memory of `haft serve` that has driven so many runs to a question about their first call and waits for answers;
 * and of one that is started with them. Nobody answers: they are rows, and since the service drives two at once, none
 * of those that wait has a place.
 */
export async function measureParked(runs: number): Promise<Figures> {
  using server = await serveModel((before) => ({
    text: "",
    call: { name: "read", input: JSON.stringify({ path: "small.txt", limit: before + 1 }) },
  }));
  const home = openAskingHome(server.url);
  const installed = await importInstalled<AppModule>("haft/app");
  await using app = await installed.createApp({
    folder: home.project,
    home: new installed.Home(home.environment["HAFT_HOME"] as string),
    sources: "once",
  });
  await app.sources.listed();
  const agent = await app.agent();
  for (let begun = 0; begun < runs; begun++) {
    const parts = [{ type: "text", text: `Read ${begun + 1} lines.` }];
    await agent.begin({ parts, channel: "terminal", inBackground: true });
  }
  const store = await app.store();
  const listRuns = () => store.runs.list({ scope: "local", limit: runs });
  const drove = await measureService(
    home,
    async () => {
      while ((await listRuns()).some(({ state }) => state === "pending" || state === "running"))
        await setTimeout(lookMs);
    },
    idleMs,
  );
  const started = await measureService(home, () => setTimeout(startMs));
  const states = new Set((await listRuns()).map(({ state }) => state));
  if ([...states].join() !== "parked")
    throw new Error(`Cannot measure parked runs: they are ${[...states].join(", ")}`);
  const open = await store.approvals.list({ state: "pending", limit: runs });
  return {
    "MB once it has driven them": drove.idle,
    "MB when the last is parked": drove.before,
    "MB when it starts with them": started.before,
    "open questions": open.length,
  };
}

/** A home of its own whose rules ask about each call. */
function openAskingHome(url: string): Home {
  const home = openHome(mark);
  const models = { main: { provider: "openai-compatible", url, model: "scripted" } };
  const permissions = [{ decision: "ask", tool: "*" }];
  const path = join(home.environment["HAFT_HOME"] as string, "config.yml");
  const config = JSON.parse(readFileSync(path, "utf8")) as object;
  writeFileSync(path, JSON.stringify({ ...config, permissions, models, agent: { model: "main" } }));
  return home;
}

/** Starts the service, and measures it when `work` has ended and when it has been idle for a while after that. */
async function measureService(
  { project, environment }: Home,
  work: () => Promise<unknown>,
  idle = 0,
): Promise<{ readonly before: number; readonly idle: number }> {
  const args = [openProgram().file, "serve", "--port", "0", "--json", "--folder", project];
  const child = spawn(process.execPath, args, {
    cwd: project,
    env: { ...environment, ...toMark(mark) },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    await once(createInterface({ input: child.stdout }), "line");
    await work();
    const before = readMegabytes();
    await setTimeout(idle);
    return { before, idle: readMegabytes() };
  } finally {
    child.kill();
    await once(child, "exit");
  }
}

/** What all processes of the service have in memory: RSS, with the pages of Node's program that processes share. */
function readMegabytes(): number {
  const mebibytes = markedProcesses(mark).reduce((sum, { residentMiB }) => sum + residentMiB, 0);
  return (mebibytes * 1024 * 1024) / 1e6;
}
