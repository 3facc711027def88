import { type ChildProcess, spawn } from "node:child_process";
import { cpus } from "node:os";
import { Environment, Processes, UndoFolder, Workspace } from "../src/host/index.ts";
import { ToolExecutor, ToolRegistry } from "../src/kernel/index.ts";
import { shellTools } from "../src/modules/shell/index.ts";

// What it costs to run a command, from a small process and from one that holds 1 GiB: node bench/bash.ts

const calls = 200;
const signal = new AbortController().signal;
const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
const cwd = process.cwd();

const helper = new Processes();
const direct = new Processes({ from: "direct" });

const registry = new ToolRegistry();
registry.registerMany(
  shellTools({
    processes: helper,
    workspace: new Workspace({ undo: new UndoFolder("/tmp/haft-bench-undo") }),
    environment: new Environment(),
  }),
);
const executor = new ToolExecutor(registry, { rules: [{ decision: "allow" }] });

interface Way {
  readonly name: string;
  readonly run: (line: string) => Promise<number>;
}

/** Each resolves with the bytes that the command wrote. */
const ways: readonly Way[] = [
  {
    name: "haft: bash, through the whole gate",
    async run(command) {
      const result = await executor.execute("bash", { command }, { allowedPaths: [cwd] });
      if (!result.success) throw new Error(result.error);
      return result.text.length;
    },
  },
  { name: "haft: Processes, by its helper", run: (line) => runWith(helper, line) },
  { name: "haft: Processes, direct", run: (line) => runWith(direct, line) },
  {
    name: "peer: child_process.spawn",
    run: (line) =>
      ended(spawn("bash", ["-c", line], { env: environment, stdio: ["ignore", "pipe", "pipe"] })),
  },
];

async function runWith(processes: Processes, line: string): Promise<number> {
  const { stdout } = await processes.runShell(line, { cwd, environment, signal });
  return stdout.totalBytes;
}

function ended(child: ChildProcess): Promise<number> {
  let bytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
  });
  return new Promise((resolve) => child.on("close", () => resolve(bytes)));
}

/** All ways in turn, so that what else the machine does meets them alike. */
async function measure(line: string, times: number): Promise<Map<string, number[]>> {
  const taken = new Map(ways.map(({ name }) => [name, [] as number[]]));
  for (let round = -3; round < times; round++) {
    for (const { name, run } of ways) {
      const begin = performance.now();
      await run(line);
      if (round >= 0) taken.get(name)?.push(performance.now() - begin);
    }
  }
  for (const values of taken.values()) values.sort((a, b) => a - b);
  return taken;
}

function show(title: string, taken: ReadonlyMap<string, number[]>): void {
  console.log(`\n${title}`);
  const peer = median(taken.get("peer: child_process.spawn") ?? []);
  for (const [name, values] of taken) {
    const p50 = median(values);
    const p99 = values[Math.floor(values.length * 0.99)] ?? 0;
    const ratio = (p50 / peer).toFixed(2);
    console.log(
      `  ${name.padEnd(38)} p50 ${p50.toFixed(2).padStart(8)} ms   p99 ${p99.toFixed(2).padStart(8)} ms   ${ratio} of the peer`,
    );
  }
}

function median(values: readonly number[]): number {
  return values[Math.floor(values.length / 2)] ?? 0;
}

function resident(): string {
  return `${Math.round(process.memoryUsage.rss() / 1024 / 1024)} MiB resident`;
}

console.log(
  `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} threads, Node ${process.versions.node}`,
);
const first = performance.now();
await runWith(helper, "true");
console.log(`first call, with the start of the helper: ${(performance.now() - first).toFixed(0)} ms`);

show(`bash -c true, ${resident()}`, await measure("true", calls));
show("100 MB of output, counted", await measure("head -c 100000000 /dev/zero | tr '\\0' 'x'", 5));
const held = Buffer.alloc(1024 ** 3, 1);
show(`bash -c true, ${resident()}`, await measure("true", calls / 2));
if (held[held.length - 1] !== 1) throw new Error("Cannot measure: the memory was given back");

await helper.close();
await direct.close();
