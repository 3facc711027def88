import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figures, median } from "../harness.ts";
import { openHome, openProgram } from "../program.ts";
import { commonPrefix, type ModelServer, serveModel } from "./model-server.ts";

const pairs = 7;

/** The home of the installed program, with this model. */
function openAgentHome(name: string, { url }: ModelServer): ReturnType<typeof openHome> {
  const home = openHome(name);
  const path = join(home.folder, "haft", "config.yml");
  const config = JSON.parse(readFileSync(path, "utf8")) as object;
  const models = {
    main: { provider: "openai-compatible", url, model: "scripted", contextTokens: 1_000_000 },
  };
  writeFileSync(path, JSON.stringify({ ...config, models, agent: { model: "main" } }));
  return home;
}

/** Times `haft run` from its start to its first request, less what `haft --version` takes: whole processes, in pairs. */
export async function timeFirstRequest(): Promise<Figures> {
  using server = await serveModel(() => ({ text: "Hello." }));
  const { project, environment } = openAgentHome("agent", server);
  const { file } = openProgram();
  const over: number[] = [];
  const whole: number[] = [];
  for (let done = 0; done < pairs + 1; done++) {
    const before = performance.now();
    spawnSync(process.execPath, [file, "--version"], { cwd: project, env: environment });
    const version = performance.now() - before;
    const seen = server.asked.length;
    const start = performance.now();
    const child = spawn(process.execPath, [file, "run", "Say hello"], {
      cwd: project,
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (text: Buffer) => (said += text.toString()));
    const code = await new Promise((resolve) => child.once("exit", resolve));
    const asked = server.asked[seen];
    if (code !== 0 || asked === undefined) throw new Error(`Cannot measure "haft run": ${said}`);
    // The first run in a home makes its store.
    if (done === 0) continue;
    over.push(asked.at - start - version);
    whole.push(asked.at - start);
  }
  return { "ms over --version": median(over), ms: median(whole) };
}

/**
 * The share of each request that the request before it began with, which is what a provider need not read anew: of a run
 * of so many steps with the tools and the memory of a new installation, into which more tools are loaded midway. The
 * smallest is the one that tells.
 */
export async function measurePrefixShare(steps: number): Promise<Figures> {
  using server = await serveModel((before) =>
    before >= steps ? { text: "Done." } : { text: "", call: chooseCall(before) },
  );
  const { project, environment } = openAgentHome(`agent-prefix-${process.pid}`, server);
  const { file } = openProgram();
  const args = [file, "run", "Read the file, again and again", "--steps", String(steps + 1), "--yes"];
  const child = spawn(process.execPath, args, { cwd: project, env: environment, stdio: "ignore" });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0 || server.asked.length !== steps + 1)
    throw new Error(
      `Cannot measure the prefix: ${server.asked.length} requests came, and it ended with ${String(code)}`,
    );
  const bodies = server.asked.map(({ text }) => text);
  const last = bodies.at(-1) as string;
  const fault = /"content":"((?:Cannot|Permission denied)[^"]{0,200})/.exec(last);
  if (fault !== null) throw new Error(`Cannot measure the prefix: a call of the run failed: ${fault[1]}`);
  const told = last.split('<note about=\\"tools\\">').length - 1;
  if (told !== loads.size) throw new Error(`Cannot measure the prefix: new tools were told ${told} times`);
  const shares = prefixShares(bodies);
  return {
    "smallest share, %": Math.min(...shares) * 100,
    "share of all, %":
      weigh(
        bodies.map((body) => body.length),
        shares,
      ) * 100,
  };
}

/** What each request but the first repeats of the one before it, as a share of itself. */
function prefixShares(bodies: readonly string[]): readonly number[] {
  return bodies.slice(1).map((body, at) => {
    return commonPrefix(bodies[at] as string, body) / body.length;
  });
}

function weigh(sizes: readonly number[], shares: readonly number[]): number {
  const later = sizes.slice(1);
  const all = later.reduce((sum, size) => sum + size, 0);
  return shares.reduce((sum, share, at) => sum + share * (later[at] as number), 0) / all;
}

/** What is loaded at some steps: one tool, a whole category, another tool. */
const loads: ReadonlyMap<number, object> = new Map<number, object>([
  [30, { tool: "http_get" }],
  [50, { category: "data" }],
  [70, { tool: "web_read" }],
]);

/** A memory is kept at every twentieth step, a question is asked of memory at every tenth; else a file is read. */
function chooseCall(step: number): { readonly name: string; readonly input: string } {
  const call = (name: string, input: object) => ({ name, input: JSON.stringify(input) });
  const loaded = loads.get(step);
  if (loaded !== undefined) return call("load_tools", loaded);
  // A tool of the category that was loaded.
  if (step > 50 && step % 15 === 0)
    return call("call_tool", { name: "json_parse", arguments: { text: `{"step":${step}}` } });
  if (step % 20 === 5)
    return call("memory_store", { content: `What was learnt at step ${step}: the file has twenty lines.` });
  if (step % 10 === 3) return call("memory_recall", { query: `the file at step ${step}` });
  return call("read", { path: "small.txt", limit: step + 1 });
}
