import { type Figures, median, runBench, type Subject } from "./harness.ts";
import { closedLoop } from "./mcp/closed-loop.ts";
import { connectHttp, connectStdio, type ThinClient } from "./mcp/thin-client.ts";

// Round trips of haft's MCP server as a library, with store, rules and redaction, beside the official SDKs and the
// floor: node bench/mcp.ts

const echo = { name: "echo", arguments: { path: "/tmp/some/file", limit: 100, recursive: true } };
const bigBytes = 8 * 1024 * 1024;
const one = "ms";
const many = "calls/s of 64 callers";

function trips(name: string, connect: () => Promise<ThinClient>): Subject {
  return { name, measure: () => withClient(connect, measureEcho) };
}

function big(name: string, connect: () => Promise<ThinClient>): Subject {
  return { name, measure: () => withClient(connect, measureBig) };
}

async function withClient(
  connect: () => Promise<ThinClient>,
  measure: (client: ThinClient) => Promise<Figures>,
): Promise<Figures> {
  const client = await connect();
  try {
    return await measure(client);
  } finally {
    await client.close();
  }
}

async function measureEcho(client: ThinClient): Promise<Figures> {
  const text = await client.call("tools/call", echo);
  if (!text.includes("/tmp/some/file:100:true"))
    throw new Error(`Cannot measure: the server said ${text.slice(0, 500)}`);
  const call = () => client.call("tools/call", echo);
  await closedLoop(call, 64, 700);
  const { p50 } = await closedLoop(call, 1, 600);
  return { [one]: p50, [many]: (await closedLoop(call, 64, 800)).perSecond };
}

async function measureBig(client: ThinClient): Promise<Figures> {
  const times: number[] = [];
  for (let round = 0; round < 9; round++) {
    const begin = performance.now();
    const text = await client.call("tools/call", { name: "big", arguments: { bytes: bigBytes } });
    times.push(performance.now() - begin);
    if (text.length < bigBytes) throw new Error(`Cannot measure: the answer has ${text.length} characters`);
  }
  return { [one]: median(times) };
}

const paths = ["src/server/mcp", "src/kernel", "src/db", "src/modules/ledger"];
const stdio = {
  ours: "haft, 2025-11-25",
  floor: "floor: newline JSON",
  peer: "peer: SDK v2, 2025-11-25",
  paths,
};
const http = { ours: "haft, session", floor: "floor: node:http", peer: "peer: SDK v2, session", paths };

await runBench(import.meta.url, [
  {
    title: "stdio, echo",
    isInstalled: true,
    rows: [
      { ...stdio, what: "MCP library on stdio, 1 caller", figure: one },
      { ...stdio, what: "MCP library on stdio", figure: many },
    ],
    subjects: [
      trips(stdio.floor, () => connectStdio("floor-server.ts", "2025-11-25")),
      trips(stdio.ours, () => connectStdio("haft-server.ts", "2025-11-25")),
      trips("haft, 2026-07-28", () => connectStdio("haft-server.ts", "2026-07-28")),
      trips("peer: SDK v1, 2025-11-25", () => connectStdio("sdk1-server.ts", "2025-11-25")),
      trips(stdio.peer, () => connectStdio("sdk2-server.ts", "2025-11-25")),
      trips("peer: SDK v2, 2026-07-28", () => connectStdio("sdk2-server.ts", "2026-07-28")),
    ],
  },
  {
    title: "HTTP on loopback, echo",
    isInstalled: true,
    rows: [
      { ...http, what: "MCP library on HTTP, 1 caller", figure: one },
      { ...http, what: "MCP library on HTTP", figure: many },
    ],
    subjects: [
      trips(http.floor, () => connectHttp("floor-server.ts", "http", "2025-11-25")),
      trips(http.ours, () => connectHttp("haft-server.ts", "http", "2025-11-25")),
      trips("haft, stateless (2026-07-28)", () => connectHttp("haft-server.ts", "http", "2026-07-28")),
      trips("peer: SDK v1, session", () => connectHttp("sdk1-server.ts", "http", "2025-11-25")),
      trips("peer: SDK v1, stateless", () => connectHttp("sdk1-server.ts", "stateless", "2025-11-25")),
      trips(http.peer, () => connectHttp("sdk2-server.ts", "http", "2025-11-25")),
      trips("peer: SDK v2, stateless", () => connectHttp("sdk2-server.ts", "stateless", "2026-07-28")),
    ],
  },
  {
    title: "stdio, one answer of 8 MiB",
    isInstalled: true,
    rows: [{ ...stdio, what: "an answer of 8 MiB on stdio", figure: one }],
    subjects: [
      big(stdio.floor, () => connectStdio("floor-server.ts", "2025-11-25")),
      big(stdio.ours, () => connectStdio("haft-server.ts", "2025-11-25")),
      big("peer: SDK v1, 2025-11-25", () => connectStdio("sdk1-server.ts", "2025-11-25")),
      big(stdio.peer, () => connectStdio("sdk2-server.ts", "2025-11-25")),
    ],
  },
]);
