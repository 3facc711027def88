import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { type ProcessBounds, Processes, Sandbox, type SandboxLevel } from "../src/host/index.ts";

// What each level of isolation costs a command, side by side: node bench/sandbox.ts [CALLS]

const calls = Number(process.argv[2] ?? 100);
const folder = mkdtempSync(join(tmpdir(), "haft-bench-"));
const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: process.env["HOME"] ?? "/" };
const signal = new AbortController().signal;

interface Way {
  readonly name: string;
  readonly processes: Processes;
  readonly bounds: ProcessBounds;
}

const ways: Way[] = [{ name: "none", processes: new Processes(), bounds: { writable: [] } }];

async function add(level: SandboxLevel, name: string, hosts: readonly string[] = []): Promise<void> {
  const sandbox = new Sandbox({ atLeast: "none", levels: [level] });
  const begin = performance.now();
  const report = await sandbox.report();
  if (report.level !== level) return console.log(`${name}: not here (${report.detail})`);
  const limits = Object.entries(report.limits).map(([limit, by]) => `${limit} ${by}`);
  console.log(`${name}: proven in ${(performance.now() - begin).toFixed(0)} ms; ${limits.join(", ")}`);
  ways.push({ name, processes: new Processes({ sandbox }), bounds: { writable: [folder], hosts } });
}

/** All ways in turn, so that what else the machine does meets them alike. */
async function measure(): Promise<void> {
  const taken = new Map(ways.map(({ name }) => [name, [] as number[]]));
  for (let round = -3; round < calls; round++) {
    for (const { name, processes, bounds } of ways) {
      const begin = performance.now();
      const { exitCode, stderr } = await processes.runShell("true", {
        cwd: folder,
        environment,
        signal,
        bounds,
      });
      if (exitCode !== 0) throw new Error(`${name}: ${stderr.text}`);
      if (round >= 0) taken.get(name)?.push(performance.now() - begin);
    }
  }
  const base = median(taken.get("none") ?? []);
  for (const [name, values] of taken) {
    const [p50, p95] = [median(values), values[Math.floor(values.length * 0.95)] ?? 0];
    const more = (p50 - base).toFixed(1).padStart(6);
    console.log(
      `  ${name.padEnd(20)} p50 ${p50.toFixed(1).padStart(6)} ms   p95 ${p95.toFixed(1).padStart(6)} ms   +${more} ms`,
    );
  }
}

function median(values: number[]): number {
  values.sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}

console.log(
  `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} threads, Node ${process.versions.node}`,
);
await add("process-group", "process-group");
await add("other-user", "other-user");
await add("bubblewrap", "bubblewrap");
await add("bubblewrap", "bubblewrap + proxy", ["example.com"]);
console.log(`bash -c true, ${calls} calls each`);
await measure();
await Promise.all(ways.map(({ processes }) => processes.close()));
rmSync(folder, { recursive: true });
