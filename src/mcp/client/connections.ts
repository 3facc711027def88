import { availableParallelism } from "node:os";
import { type Clock, nearestNames, RecentMap, systemClock } from "../../base/index.ts";
import type { Tool, ToolContext } from "../../kernel/index.ts";
import { McpError } from "../errors.ts";
import { toAlias } from "../names.ts";
import type { McpServerConfig } from "./config.ts";
import { LaunchQueue } from "./launch-queue.ts";
import type { Result } from "./link.ts";
import type { McpClientServices, ServerWays, WaysMemory } from "./ports.ts";
import { ServerConnection, type ServerHealth, type ServerReport } from "./server-connection.ts";
import type { ServerTool } from "./tools/server-tool.ts";
import { sharedTools } from "./tools/shared-tools.ts";
import { wrapTools } from "./tools/wrap-tools.ts";

/** What connections work with, and who is told of them. */
export interface McpConnectionsOptions extends McpClientServices {
  /** Told, after each change, of all tools that are offered now: those of servers that are away too. */
  readonly onTools?: (tools: readonly Tool[]) => void;
  /** Told that the health of a server is another. */
  readonly onHealth?: (health: ServerHealth) => void;
}

/** Tools made of a server's last list, by definition: if a new list changes one tool, only that tool is made again. */
interface Offer {
  readonly listed: readonly ServerTool[];
  readonly tools: readonly Tool[];
  readonly wrapped: WeakMap<ServerTool, Tool>;
}

/**
 * The MCP servers of an installation: connected side by side and in the background, each kept by itself, so that one
 * that hangs, lies or dies costs its own tools alone.
 *
 * @example
 * ```ts
 * await using processes = new Processes();
 * const connections = new McpConnections({
 *   processes,
 *   connector: createConnector(),
 *   environment: new Environment(),
 *   cwd: process.cwd(),
 * });
 * const { servers } = readServers({ docs: { command: "docs-server", disabled: true } });
 * await connections.connectAll(servers);
 * connections.health().map(({ server, status }) => [server, status]); // → [["docs", "disabled"]]
 * await connections.disconnectAll();
 * ```
 */
export class McpConnections {
  readonly #options: McpConnectionsOptions;
  readonly #clock: Clock;
  readonly #ways: WaysMemory;
  readonly #servers = new Map<string, ServerConnection>();
  readonly #disabled = new Map<string, McpServerConfig>();
  readonly #offers = new WeakMap<ServerConnection, Offer>();
  readonly #shared: readonly Tool[];
  /** Number of operations under way that announce their changes at their end. */
  #quiet = 0;

  constructor(options: McpConnectionsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#ways = options.ways ?? shortMemory();
    this.#shared = sharedTools({ all: () => [...this.#servers.values()], get: (name) => this.#get(name) });
  }

  /**
   * Connects to all servers that are enabled, at once; one of a name that is there already is left. Nobody needs to wait
   * for it: it resolves when each has answered or failed in its time, and never rejects.
   */
  async connectAll(servers: readonly McpServerConfig[]): Promise<void> {
    const added: ServerConnection[] = [];
    for (const server of servers) {
      if (this.#servers.has(server.name)) continue;
      if (server.enabled === false) {
        this.#disabled.set(server.name, server);
        continue;
      }
      const connection: ServerConnection = new ServerConnection({
        server,
        services: this.#options,
        clock: this.#clock,
        ways: this.#ways,
        onTools: () => this.#changed(),
        onStatus: () => this.#options.onHealth?.(connection.health()),
      });
      this.#disabled.delete(server.name);
      this.#servers.set(server.name, connection);
      added.push(connection);
    }
    const queue = (size: number) => new LaunchQueue({ clock: this.#clock, size, longestMs: longestLaunchMs });
    const [wanted, offered] = [queue(wantedAtOnce), queue(offeredAtOnce)];
    const restored = await this.#restore(added);
    await Promise.all(
      restored.map((connection) => connection.start(connection.list.known === undefined ? wanted : offered)),
    );
  }

  /** Offers the cached tools of all servers as one change. Returns the servers whose cache could be read. */
  async #restore(added: readonly ServerConnection[]): Promise<readonly ServerConnection[]> {
    this.#quiet++;
    try {
      const isRestored = await Promise.all(added.map((connection) => connection.restore()));
      return added.filter((_, at) => isRestored[at]);
    } finally {
      this.#quiet--;
      this.#changed();
    }
  }

  /** Lets go of all servers and their tools. Resolves when nothing of them is left. */
  async disconnectAll(): Promise<void> {
    const all = [...this.#servers.values()];
    this.#servers.clear();
    this.#disabled.clear();
    this.#quiet++;
    try {
      await Promise.all(all.map((connection) => connection.close()));
    } finally {
      this.#quiet--;
      this.#changed();
    }
  }

  /** False where there is none of that name. */
  async disconnect(name: string): Promise<boolean> {
    const connection = this.#servers.get(name);
    this.#servers.delete(name);
    await connection?.close();
    if (connection !== undefined) this.#changed();
    return connection !== undefined || this.#disabled.delete(name);
  }

  /**
   * Makes the link to a server anew, at once.
   *
   * @throws {McpError} MCP_UNKNOWN_SERVER, and what connecting fails with.
   */
  async reconnect(name: string): Promise<void> {
    await this.#get(name).reconnect();
  }

  /**
   * Asks one server for its tools anew.
   *
   * @throws {McpError} MCP_UNKNOWN_SERVER, and what the request fails with.
   */
  async refresh(name: string, signal: AbortSignal): Promise<void> {
    await this.#get(name).refresh({ signal });
  }

  /** What is known of a server beside its health; undefined for one that is not connected to. */
  report(name: string): ServerReport | undefined {
    return this.#servers.get(name)?.report();
  }

  /** Asks every server for its tools anew, after its owner has looked at them or logged in. Never rejects. */
  async review(signal: AbortSignal): Promise<void> {
    await Promise.allSettled(Array.from(this.#servers.values(), (one) => one.refresh({ signal })));
  }

  /**
   * What a server defines, as it was last listed and accepted; the owner's lists of what is offered are not applied.
   *
   * @throws {McpError} MCP_UNKNOWN_SERVER
   */
  listTools(name: string): readonly ServerTool[] {
    return this.#get(name).list.known?.tools ?? [];
  }

  /**
   * Calls a tool by the server's own name for it, past the gate: for callers that decide themselves.
   *
   * @throws {McpError} MCP_UNKNOWN_SERVER, and what the call fails with.
   */
  async callTool(
    name: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): Promise<Result> {
    const connection = this.#get(name);
    const definition = this.listTools(name).find((one) => one.name === tool);
    return connection.request({
      what: `the tool "${tool}"`,
      method: "tools/call",
      params: { name: tool, arguments: args },
      context,
      ...(definition !== undefined && { tool: definition }),
      repeatable: definition !== undefined && connection.repeats(definition),
    });
  }

  /** All tools that are offered, in the order of the servers. Those by which resources are read come where there is a server. */
  tools(): readonly Tool[] {
    if (this.#servers.size === 0) return [];
    return [
      ...[...this.#servers.values()].flatMap((connection) => this.#listTools(connection)),
      ...this.#shared,
    ];
  }

  /** A tool as it is offered, by the server's own name for it; undefined where it is not. */
  offered(name: string, tool: string): Tool | undefined {
    const connection = this.#servers.get(name);
    if (connection === undefined) return undefined;
    const alias = toAlias(name, connection.server.rename?.[tool] ?? tool);
    return this.#listTools(connection).find((one) => one.name === alias);
  }

  /** The health of all servers, those that are disabled too. */
  health(): readonly ServerHealth[] {
    return [
      ...Array.from(this.#servers.values(), (connection) => connection.health()),
      ...Array.from(this.#disabled.keys(), (server) => healthWithout(server, "disabled")),
    ];
  }

  #listTools(connection: ServerConnection): readonly Tool[] {
    const listed = connection.list.known?.tools;
    if (listed === undefined) return [];
    let offer = this.#offers.get(connection);
    if (offer?.listed !== listed) {
      const wrapped = offer?.wrapped ?? new WeakMap<ServerTool, Tool>();
      offer = { listed, wrapped, tools: wrapTools(connection, listed, wrapped) };
      this.#offers.set(connection, offer);
    }
    return offer.tools;
  }

  #changed(): void {
    if (this.#quiet === 0) this.#options.onTools?.(this.tools());
  }

  #get(name: string): ServerConnection {
    const connection = this.#servers.get(name);
    if (connection !== undefined) return connection;
    const near = nearestNames(name, this.#servers.keys());
    const hint =
      near.length > 0
        ? `; did you mean ${near.map((one) => `"${one}"`).join(" or ")}`
        : "; list them with `haft mcp list`";
    throw new McpError("MCP_UNKNOWN_SERVER", `Cannot find an MCP server "${name}"${hint}`, {
      details: { server: name },
    });
  }
}

/** The health of a server without a connection: nothing has happened to it. */
export function healthWithout(server: string, status: ServerHealth["status"]): ServerHealth {
  return {
    server,
    status,
    tools: 0,
    quarantined: [],
    problems: [],
    calls: 0,
    failures: 0,
    reconnects: 0,
    strays: 0,
  };
}

const cores = Math.max(2, availableParallelism());
/** How many processes start at the same time, for servers whose tools a client may wait for. */
const wantedAtOnce = 4 * cores;
/**
 * The same for servers whose cached tools are offered already: nobody waits for them, and clients get their first
 * answers sooner.
 */
const offeredAtOnce = cores;
/** How long one that is starting keeps its place. */
const longestLaunchMs = 500;

const maxRemembered = 1000;

function shortMemory(): WaysMemory {
  const known = new RecentMap<string, ServerWays>(maxRemembered);
  return { get: (key) => known.get(key), set: (key, ways) => void known.set(key, ways) };
}
