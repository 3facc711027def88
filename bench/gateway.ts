import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Figures, runBench, type Subject } from "./harness.ts";
import { closedLoop } from "./mcp/closed-loop.ts";
import type { Gateway, OpenGateway, Upstreams } from "./mcp/gateways.ts";
import * as gateways from "./mcp/gateways.ts";

// haft in front of an MCP server, beside calling it directly and through other gateways: node bench/gateway.ts --rounds 3

const oddServer = fileURLToPath(new URL("mcp/odd-server.ts", import.meta.url));
const one: Upstreams = { everything: gateways.everything };
const withHung: Upstreams = { ...one, hung: [oddServer, "1"] };
const manyTools = 10_000;
const many: Upstreams = { many: [oddServer, String(manyTools)] };

const manyServers = 50;
const toolsEach = 3;
const fifty: Upstreams = Object.fromEntries(
  Array.from({ length: manyServers }, (_, at) => [`s${at}`, [oddServer, String(toolsEach)]]),
);

const firstList = "start to the whole list, ms";
const firstAnswer = "start to the first list, ms";
const columns = {
  one: "1 caller, ms",
  eight: "8 callers, ms",
  all: "64 callers, calls/s",
  memory: "resident MiB",
} as const;

interface GatewaySubject extends Omit<Subject, "measure"> {
  readonly open: OpenGateway;
  readonly upstreams?: Upstreams;
}

function benchCalls({ open, upstreams = one, ...subject }: GatewaySubject): Subject {
  return { ...subject, measure: () => withGateway(open, upstreams, measureCalls) };
}

async function withGateway(
  open: OpenGateway,
  upstreams: Upstreams,
  measure: (gateway: Gateway, upstreams: Upstreams) => Promise<Figures>,
): Promise<Figures> {
  const gateway = await open(upstreams);
  try {
    return await measure(gateway, upstreams);
  } finally {
    await gateway.close();
  }
}

async function measureCalls(gateway: Gateway, upstreams: Upstreams): Promise<Figures> {
  const { client, toName } = gateway;
  const name = toName("everything", "echo");
  await whenListed(gateway, name);
  if (upstreams === withHung) {
    const hung = toName("hung", "tool_0");
    await whenListed(gateway, hung);
    for (let calls = 0; calls < 8; calls++)
      client.call("tools/call", { name: hung, arguments: { path: "/" } }).catch(() => undefined);
  }
  const call = () => client.call("tools/call", { name, arguments: { message: "hello" } });
  const text = await call();
  if (!text.includes("Echo: hello")) throw new Error(`Cannot measure: it said ${text.slice(0, 500)}`);
  await closedLoop(call, 8, 1200);
  const single = await closedLoop(call, 1, 1500);
  const eight = await closedLoop(call, 8, 1500);
  const all = await closedLoop(call, 64, 1500);
  if (!(await call()).includes("Echo: hello")) throw new Error("Cannot measure: it broke under load");
  return {
    [columns.one]: single.p50,
    [columns.eight]: eight.p50,
    [columns.all]: all.perSecond,
    [columns.memory]: gateway.residentMiB(),
  };
}

/** Some gateways list a server's tools only when it has answered them. */
async function whenListed(gateway: Gateway, name: string): Promise<void> {
  for (let left = 100; left > 0; left--) {
    if ((await gateway.client.call("tools/list", {})).includes(`"${name}"`)) return;
    await delay(100);
  }
  throw new Error(`Cannot measure: "${name}" is not among its tools`);
}

function benchList({ open, upstreams = many, ...subject }: GatewaySubject): Subject {
  const wanted = upstreams === many ? manyTools : manyServers * toolsEach;
  return {
    ...subject,
    measure: () =>
      withGateway(open, upstreams, async (gateway) => {
        await gateway.client.call("tools/list", {});
        const answered = performance.now() - gateway.startedAt;
        await whenAllListed(gateway, wanted);
        const first = performance.now() - gateway.startedAt;
        const again = performance.now();
        await countTools(gateway);
        return {
          [firstAnswer]: answered,
          [firstList]: first,
          "the list again, ms": performance.now() - again,
          [columns.memory]: gateway.residentMiB(),
        };
      }),
  };
}

async function whenAllListed(gateway: Gateway, wanted: number): Promise<void> {
  for (let left = 400; left > 0; left--) {
    if ((await countTools(gateway)) >= wanted) return;
    await delay(50);
  }
  throw new Error(`Cannot measure: it does not list ${wanted} tools`);
}

/** Those of the server behind it, on all pages. */
async function countTools({ client }: Gateway): Promise<number> {
  let found = 0;
  let cursor: string | undefined;
  do {
    const text = await client.call("tools/list", cursor === undefined ? {} : { cursor });
    found += text.match(/"name":"[^"]*tool_\d+"/g)?.length ?? 0;
    cursor = /"nextCursor":"([^"]+)"/.exec(text)?.[1];
  } while (cursor !== undefined);
  return found;
}

const reference = "direct, stdio";
const asConfigured = "haft mcp, as configured by default";
const ours = { stdio: "haft mcp, stdio", http: "haft serve, HTTP" } as const;
const again = "haft mcp, stdio, the second start";

/** The gateways in turn, as multiples of haft on the same way in: above 1, haft is ahead. */
function summary(findMedian: (subject: string, figure: string) => number | undefined): string {
  const base = findMedian(reference, columns.one) ?? 0;
  const added = (subject: string) => (findMedian(subject, columns.one) ?? Number.NaN) - base;
  const perSecond = (subject: string) => findMedian(subject, columns.all) ?? Number.NaN;
  const lines = ["| | added at 1 caller, ms | as many times haft's | haft's calls/s at 64, times its |"];
  lines.push("| --- | ---: | ---: | ---: |");
  for (const { name } of subjects) {
    if (name === reference || Number.isNaN(added(name))) continue;
    const haft = name.includes("HTTP") || name.includes("SSE") ? ours.http : ours.stdio;
    const cells = [added(name), added(name) / added(haft), perSecond(haft) / perSecond(name)];
    lines.push(`| ${[name, ...cells.map((cell) => cell.toFixed(2))].join(" | ")} |`);
  }
  return `${lines.join("\n")}\n`;
}

const subjects: readonly GatewaySubject[] = [
  { name: reference, open: gateways.direct },
  { name: "floor: relay, stdio", open: gateways.relayStdio },
  { name: ours.stdio, open: gateways.haftStdio(64) },
  { name: asConfigured, open: gateways.haftStdio() },
  { name: "haft mcp, a hung server beside it", open: gateways.haftStdio(64), upstreams: withHung },
  { name: "mcporter serve, stdio", open: gateways.mcporterStdio, peer: "mcporter" },
  { name: "floor: relay, HTTP", open: gateways.relayHttp },
  { name: ours.http, open: gateways.haftHttp(64) },
  { name: "mcp-hub, SSE", open: gateways.mcpHub, peer: "mcp-hub" },
  {
    name: "mcp-hub, SSE, a hung server beside it",
    open: gateways.mcpHub,
    peer: "mcp-hub",
    upstreams: withHung,
  },
  { name: "mcp-proxy, HTTP sessions", open: gateways.mcpProxy(), peer: "mcp-proxy" },
  { name: "mcp-proxy, HTTP stateless", open: gateways.mcpProxy("--stateless"), peer: "mcp-proxy" },
  { name: "supergateway, HTTP", open: gateways.supergateway, peer: "supergateway" },
  { name: "mcporter serve, HTTP", open: gateways.mcporterHttp, peer: "mcporter" },
];

const paths = ["src/server/mcp", "src/mcp", "src/kernel", "src/db", "src/modules/ledger", "src/app"];
const onStdio = { ours: ours.stdio, floor: "floor: relay, stdio", peer: "mcporter serve, stdio", paths };
const onHttp = { ours: ours.http, floor: "floor: relay, HTTP", peer: "mcp-hub, SSE", paths };
const onList = { ours: ours.stdio, floor: "floor: relay, stdio", peer: "mcporter serve, stdio", paths };
const onFifty = { ours: ours.stdio, peer: "mcporter serve, stdio", paths };

await runBench(import.meta.url, [
  {
    title: "In front of server-everything, echo",
    isInstalled: true,
    rows: [
      {
        ...onStdio,
        what: "`echo` through `haft mcp`",
        figure: columns.one,
        reach: "≤ 0.3 ms more than direct",
      },
      { ...onStdio, what: "`echo` through `haft mcp`", figure: columns.all, reach: "≥ 0.35 × the floor" },
      {
        ...onStdio,
        ours: asConfigured,
        what: "the same with the default concurrency",
        figure: columns.all,
      },
      { ...onHttp, what: "`echo` through `haft serve`", figure: columns.one, reach: "≤ 1.4 × the floor" },
      { ...onHttp, what: "`echo` through `haft serve`", figure: columns.all, reach: "≥ 5,500" },
    ],
    subjects: subjects.map(benchCalls),
    summary,
  },
  {
    isInstalled: true,
    rows: [
      { ...onList, what: "10,000 tools of another server", figure: firstList, reach: "≤ 1,000" },
      {
        ...onList,
        ours: again,
        what: "10,000 tools of another server, the second start",
        figure: firstList,
        reach: "≤ 600",
      },
      { ...onList, what: "10,000 tools of another server", figure: "the list again, ms" },
    ],
    // Without mcp-hub 4.2.1, which offers the first page of them alone.
    title: "In front of a server of 10,000 tools",
    subjects: [
      benchList({ name: "direct, stdio", open: gateways.direct }),
      benchList({ name: "floor: relay, stdio", open: gateways.relayStdio }),
      benchList({ name: ours.stdio, open: gateways.haftStdio() }),
      benchList({ name: again, open: gateways.haftAgain }),
      benchList({ name: "mcporter serve, stdio", open: gateways.mcporterStdio, peer: "mcporter" }),
    ],
  },
  {
    isInstalled: true,
    rows: [
      { ...onFifty, what: "50 servers", figure: firstAnswer },
      { ...onFifty, ours: again, what: "50 servers, the second start", figure: firstAnswer },
    ],
    title: "In front of 50 servers",
    subjects: [
      benchList({ name: ours.stdio, open: gateways.haftStdio(), upstreams: fifty }),
      benchList({ name: again, open: gateways.haftAgain, upstreams: fifty }),
      benchList({
        name: "mcporter serve, stdio",
        open: gateways.mcporterStdio,
        peer: "mcporter",
        upstreams: fifty,
      }),
    ],
  },
]);
