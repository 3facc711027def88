import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freeSteadyPort } from "../../test/support/steady-port.ts";
import { type Home, openHome, openProgram } from "../program.ts";
import { markedProcesses, toMark } from "./marked-processes.ts";
import { connectSse } from "./sse-client.ts";
import { type ThinClient, talkHttp, talkStdio } from "./thin-client.ts";

/** Servers behind a gateway, by name: the arguments of Node. The first is the one that is measured. */
export type Upstreams = Readonly<Record<string, readonly string[]>>;

export interface Gateway {
  readonly client: ThinClient;
  /** Its process's start, as `performance.now` has it. */
  readonly startedAt: number;
  /** How it calls a tool of a server. */
  readonly toName: (server: string, tool: string) => string;
  /** Resident memory of its processes, without the servers behind it. */
  residentMiB(): number;
  close(): Promise<void>;
}

export type OpenGateway = (upstreams: Upstreams) => Promise<Gateway>;

const node = process.execPath;
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The file of a package's program. */
export function findProgram(name: string): string {
  const manifest = findPackageJSON(name, import.meta.url);
  if (manifest === undefined) throw new Error(`Cannot find the package "${name}"`);
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> };
  return join(dirname(manifest), Object.values(bin)[0] as string);
}

export const everything: readonly string[] = [
  findProgram("@modelcontextprotocol/server-everything"),
  "stdio",
];

/** What a gateway runs in: a folder of its own that is its home, and a mark by which all of it is found again. */
class Ground {
  readonly folder = mkdtempSync(join(tmpdir(), "haft-bench-gateway-"));
  startedAt = 0;
  readonly #mark = randomUUID();
  readonly #servers: readonly string[];

  constructor(upstreams: Upstreams) {
    this.#servers = Object.values(upstreams).map(([file]) => file as string);
  }

  write(name: string, content: unknown): string {
    const path = join(this.folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  }

  start(args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
    const { folder } = this;
    this.startedAt = performance.now();
    return spawn(node, args, {
      cwd: folder,
      env: {
        PATH: `${dirname(node)}:${process.env["PATH"]}`,
        HOME: folder,
        XDG_STATE_HOME: folder,
        XDG_CONFIG_HOME: folder,
        ...toMark(this.#mark),
        ...environment,
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
  }

  residentMiB(): number {
    return markedProcesses(this.#mark)
      .filter(({ args }) => !this.#servers.includes(args[1] ?? ""))
      .reduce((sum, { residentMiB }) => sum + residentMiB, 0);
  }

  async close(client: ThinClient): Promise<void> {
    await client.close().catch(() => undefined);
    for (let left = markedProcesses(this.#mark); left.length > 0; left = markedProcesses(this.#mark)) {
      for (const { pid } of left) stop(pid);
      await delay(20);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function stop(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {} // It has ended by itself.
}

interface Start {
  readonly ground: Ground;
  readonly upstreams: Upstreams;
}

function gateway(
  open: (start: Start) => Promise<ThinClient>,
  toName: Gateway["toName"] = (_server, tool) => tool,
): OpenGateway {
  return async (upstreams) => {
    const ground = new Ground(upstreams);
    const client = await open({ ground, upstreams });
    return {
      client,
      startedAt: ground.startedAt,
      toName,
      residentMiB: () => ground.residentMiB(),
      close: () => ground.close(client),
    };
  };
}

const joined: Gateway["toName"] = (server, tool) => `${server}__${tool}`;
const takeFirst = (upstreams: Upstreams) => Object.values(upstreams)[0] as readonly string[];
const era = "2025-11-25";

export const direct: OpenGateway = gateway(({ ground, upstreams }) =>
  talkStdio(ground.start(takeFirst(upstreams)), era),
);

export const relayStdio: OpenGateway = gateway(({ ground, upstreams }) =>
  talkStdio(ground.start([here("relay.ts"), "stdio", node, ...takeFirst(upstreams)]), era),
);

export const relayHttp: OpenGateway = gateway(async ({ ground, upstreams }) => {
  const child = ground.start([here("relay.ts"), "http", node, ...takeFirst(upstreams)]);
  const port = Number(await firstLine(child));
  return talkHttp({ url: `http://127.0.0.1:${port}/mcp`, era, isSession: true });
});

/** haft as it is installed. Only its owner has allowed these servers' tools. */
function prepareHaft({ ground, upstreams }: Start, concurrency: number | undefined): Home {
  const servers = Object.entries(upstreams).map(([name, args]) => [
    name,
    { command: node, args, ...(concurrency !== undefined && { concurrency }) },
  ]);
  return openHome(basename(ground.folder), Object.fromEntries(servers) as object);
}

export function haftStdio(concurrency?: number): OpenGateway {
  return gateway((start) => {
    const { project, environment } = prepareHaft(start, concurrency);
    const args = [openProgram().file, "mcp", "--expose", "all", "--folder", project];
    return talkStdio(start.ground.start(args, environment), era);
  }, joined);
}

/** The second start in one home: what haft keeps of the servers is there. */
export const haftAgain: OpenGateway = gateway(async (start) => {
  const { project, environment } = prepareHaft(start, undefined);
  const args = [openProgram().file, "mcp", "--expose", "all", "--folder", project];
  const first = start.ground.start(args, environment);
  const client = await talkStdio(first, era);
  await client.call("tools/list", {});
  const ended = new Promise((resolve) => first.once("exit", resolve));
  first.stdin?.end();
  await ended;
  return talkStdio(start.ground.start(args, environment), era);
}, joined);

export function haftHttp(concurrency?: number): OpenGateway {
  return gateway(async (start) => {
    const { project, environment } = prepareHaft(start, concurrency);
    const options = ["--port", "0", "--json", "--expose", "all", "--folder", project];
    const child = start.ground.start([openProgram().file, "serve", ...options], environment);
    const { url, tokenFile } = JSON.parse(await firstLine(child)) as { url: string; tokenFile: string };
    return talkHttp({ url, era, isSession: true, token: readFileSync(tokenFile, "utf8").trim() });
  }, joined);
}

export const mcpHub: OpenGateway = gateway(async ({ ground, upstreams }) => {
  const config = ground.write("hub.json", serversForm(upstreams));
  const port = await freeSteadyPort();
  ground.start([findProgram("mcp-hub"), "--port", String(port), "--config", config]).stdout?.resume();
  return whenItListens(() => connectSse(`http://127.0.0.1:${port}/mcp`));
}, joined);

export const mcporterStdio: OpenGateway = gateway(({ ground, upstreams }) => {
  const config = ground.write("mcporter.json", serversForm(upstreams, { lifecycle: "keep-alive" }));
  return talkStdio(ground.start([findProgram("mcporter"), "--config", config, "serve", "--stdio"]), era);
}, joined);

export const mcporterHttp: OpenGateway = gateway(async ({ ground, upstreams }) => {
  const config = ground.write("mcporter.json", serversForm(upstreams, { lifecycle: "keep-alive" }));
  const port = await freeSteadyPort();
  const args = [findProgram("mcporter"), "--config", config, "serve", "--http", String(port)];
  ground.start(args).stdout?.resume();
  return whenItListens(() => talkHttp({ url: `http://127.0.0.1:${port}/mcp`, era, isSession: true }));
}, joined);

export function mcpProxy(...options: readonly string[]): OpenGateway {
  return gateway(async ({ ground, upstreams }) => {
    const port = await freeSteadyPort();
    const listening = ["--host", "127.0.0.1", "--port", String(port), "--server", "stream", ...options];
    const args = [findProgram("mcp-proxy"), ...listening, "--", node, ...takeFirst(upstreams)];
    ground.start(args).stdout?.resume();
    const isSession = !options.includes("--stateless");
    return whenItListens(() => talkHttp({ url: `http://127.0.0.1:${port}/mcp`, era, isSession }));
  });
}

export const supergateway: OpenGateway = gateway(async ({ ground, upstreams }) => {
  const port = await freeSteadyPort();
  const output = ["--outputTransport", "streamableHttp", "--stateful", "--port", String(port)];
  const command = [node, ...takeFirst(upstreams)].join(" ");
  ground.start([findProgram("supergateway"), "--stdio", command, ...output]).stdout?.resume();
  return whenItListens(() => talkHttp({ url: `http://127.0.0.1:${port}/mcp`, era, isSession: true }));
});

/** As the clients' configuration files have it. */
function serversForm(upstreams: Upstreams, more: object = {}): object {
  const servers = Object.entries(upstreams).map(([name, args]) => [name, { command: node, args, ...more }]);
  return { mcpServers: Object.fromEntries(servers) as object };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text.split("\n")[0] as string);
    });
  });
}

async function whenItListens(connect: () => Promise<ThinClient>): Promise<ThinClient> {
  for (let left = 200; ; left--) {
    try {
      const client = await connect();
      await client.call("tools/list", {});
      return client;
    } catch (error) {
      if (left === 0) throw error;
      await delay(100);
    }
  }
}
