import { cpus } from "node:os";
import { closedLoop, type LoopFigures } from "./mcp/closed-loop.ts";
import { connectHttp, connectStdio, type ThinClient } from "./mcp/thin-client.ts";

// Round trips of haft's MCP server, with its whole gate, beside the bare official SDKs and the floor: node bench/mcp.ts
interface Subject {
  readonly name: string;
  readonly connect: () => Promise<ThinClient>;
}

/** With 1 caller and with 64. */
interface Measured {
  readonly one: LoopFigures;
  readonly many: LoopFigures;
}

const echo = { name: "echo", arguments: { path: "/tmp/some/file", limit: 100, recursive: true } };
const bigBytes = 8 * 1024 * 1024;

const stdio: readonly Subject[] = [
  { name: "floor: newline JSON", connect: () => connectStdio("floor-server.ts", "2025-11-25") },
  { name: "haft, 2025-11-25", connect: () => connectStdio("haft-server.ts", "2025-11-25") },
  { name: "haft, 2026-07-28", connect: () => connectStdio("haft-server.ts", "2026-07-28") },
  { name: "SDK v1, 2025-11-25", connect: () => connectStdio("sdk1-server.ts", "2025-11-25") },
  { name: "SDK v2, 2025-11-25", connect: () => connectStdio("sdk2-server.ts", "2025-11-25") },
  { name: "SDK v2, 2026-07-28", connect: () => connectStdio("sdk2-server.ts", "2026-07-28") },
];

const http: readonly Subject[] = [
  { name: "floor: node:http", connect: () => connectHttp("floor-server.ts", "http", "2025-11-25") },
  { name: "haft, session", connect: () => connectHttp("haft-server.ts", "http", "2025-11-25") },
  {
    name: "haft, stateless (2026-07-28)",
    connect: () => connectHttp("haft-server.ts", "http", "2026-07-28"),
  },
  { name: "SDK v1, session", connect: () => connectHttp("sdk1-server.ts", "http", "2025-11-25") },
  { name: "SDK v1, stateless", connect: () => connectHttp("sdk1-server.ts", "stateless", "2025-11-25") },
  { name: "SDK v2, session", connect: () => connectHttp("sdk2-server.ts", "http", "2025-11-25") },
  {
    name: "SDK v2, stateless (2026-07-28)",
    connect: () => connectHttp("sdk2-server.ts", "stateless", "2026-07-28"),
  },
];

async function measure({ connect }: Subject): Promise<Measured> {
  const client = await connect();
  try {
    const text = await client.call("tools/call", echo);
    if (!text.includes("/tmp/some/file:100:true"))
      throw new Error(`Cannot measure: the server said ${text.slice(0, 500)}`);
    const call = () => client.call("tools/call", echo);
    await closedLoop(call, 64, 700);
    return { one: await closedLoop(call, 1, 600), many: await closedLoop(call, 64, 800) };
  } finally {
    await client.close();
  }
}

async function measureBig({ connect }: Subject): Promise<number> {
  const client = await connect();
  try {
    const times: number[] = [];
    for (let round = 0; round < 9; round++) {
      const begin = performance.now();
      const text = await client.call("tools/call", { name: "big", arguments: { bytes: bigBytes } });
      times.push(performance.now() - begin);
      if (text.length < bigBytes) throw new Error(`Cannot measure: the answer has ${text.length} characters`);
    }
    return times.sort((a, b) => a - b)[4] as number;
  } finally {
    await client.close();
  }
}

function row(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

/** Of two rounds, one subject after the other, the better one: the machine may have been at something else. */
async function measureAll(subjects: readonly Subject[]): Promise<readonly Measured[]> {
  const best: Measured[] = [];
  for (let round = 0; round < 2; round++) {
    for (const [at, subject] of subjects.entries()) {
      const now = await measure(subject);
      const before = best[at] ?? now;
      best[at] = { one: better(before.one, now.one), many: better(before.many, now.many) };
    }
  }
  return best;
}

function better(a: LoopFigures, b: LoopFigures): LoopFigures {
  return a.perSecond > b.perSecond ? a : b;
}

async function table(title: string, subjects: readonly Subject[]): Promise<void> {
  process.stdout.write(`\n### ${title}\n\n`);
  const columns = ["1 caller", "64 callers"].flatMap((callers) => [
    `${callers}: p50 ms`,
    "p99 ms",
    "calls/s",
    "x floor",
  ]);
  row(["server", ...columns]);
  row(Array.from({ length: 9 }, () => "---"));
  const measured = await measureAll(subjects);
  const floor = measured[0] as Measured;
  for (const [at, { one, many }] of measured.entries()) {
    const cells = ({ p50, p99, perSecond }: LoopFigures, base: LoopFigures) => [
      p50.toFixed(3),
      p99.toFixed(2),
      Math.round(perSecond).toLocaleString("en-US"),
      (base.perSecond / perSecond).toFixed(2),
    ];
    row([subjects[at]?.name ?? "", ...cells(one, floor.one), ...cells(many, floor.many)]);
  }
}

process.stdout.write(
  `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown"}, ${new Date().toISOString()}\n`,
);
await table("stdio, echo", stdio);
await table("HTTP on loopback, echo", http);
process.stdout.write("\n### stdio, one answer of 8 MiB\n\n");
row(["server", "p50 ms", "x floor"]);
row(["---", "---", "---"]);
let floorMs: number | undefined;
for (const subject of stdio.filter(({ name }) => !name.endsWith("2026-07-28"))) {
  const ms = await measureBig(subject);
  floorMs ??= ms;
  row([subject.name, ms.toFixed(1), (ms / floorMs).toFixed(2)]);
}
