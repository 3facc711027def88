import { sourceRanks, type Tool } from "../../kernel/index.ts";
import type { McpConnections, McpServerConfig, ServerHealth } from "../../mcp/index.ts";
import type { SourceProblem } from "../../sources/index.ts";
import { listServers } from "../config/merge-configs.ts";
import { definitionSource } from "../servers/change-servers.ts";
import { KeptWays } from "./kept-ways.ts";
import type { McpDefinitions } from "./mcp-definitions.ts";
import type { SourceParts } from "./source-parts.ts";
import { localScope } from "./source-places.ts";

/** The MCP servers of an installation. */
export class ServerSources {
  readonly #parts: SourceParts;
  readonly #allListed = Promise.withResolvers<void>();
  #connecting: Promise<void> | undefined;
  #isClosed = false;
  #problems: readonly SourceProblem[] = [];
  /** Absent where no servers are. */
  connections: McpConnections | undefined;

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  /** Connects where that has not begun; resolves once every server has answered, or failed in its time. Never rejects. */
  connect(): Promise<void> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  /** Resolves once every server has a list, the one it had last counts, or has failed. */
  async listed(): Promise<void> {
    await Promise.race([this.#allListed.promise, this.#connecting]);
  }

  /** A tool as it is offered, by the server's own names; connects where it is not there yet. */
  async tool(server: string, tool: string): Promise<Tool | undefined> {
    const found = this.connections?.offered(server, tool);
    if (found !== undefined) return found;
    await this.connect();
    return this.connections?.offered(server, tool);
  }

  /** The name under which a server's definitions are kept. */
  nameSource({ name }: Pick<McpServerConfig, "name">): string {
    const { folder, loaded } = this.#parts;
    const isProject = listServers(loaded.project).some((server) => readName(server) === name);
    return definitionSource({ folder, place: isProject ? "project" : "user" }, name);
  }

  /** Connects to one more server. Never rejects. */
  async add(server: McpServerConfig): Promise<void> {
    await this.connect();
    if (this.#isClosed) return;
    try {
      if (this.connections === undefined) {
        const [{ McpConnections }, { McpDefinitions }] = await Promise.all([
          import("../../mcp/index.ts"),
          import("./mcp-definitions.ts"),
        ]);
        this.connections = this.#open(McpConnections, McpDefinitions);
      }
      await this.connections.connectAll([server]);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  problems(): readonly SourceProblem[] {
    return this.#problems;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.connections?.disconnectAll();
    await this.#connecting;
  }

  async #connect(): Promise<void> {
    try {
      const { loaded, servers: wanted } = this.#parts;
      const written = [...listServers(loaded.project), ...listServers(loaded.own)].filter(
        (server) => wanted?.includes(String(readName(server))) ?? true,
      );
      if (written.length === 0) return;
      const [{ McpConnections, readServers }, { McpDefinitions }] = await Promise.all([
        import("../../mcp/index.ts"),
        import("./mcp-definitions.ts"),
      ]);
      if (this.#isClosed) return;
      const { servers, problems } = readServers(written);
      this.#problems = problems.map(({ where, message }) => ({
        where,
        code: "MCP_SERVER_INVALID",
        message: `Cannot use the MCP server "${where}": ${message}`,
      }));
      this.connections = this.#open(McpConnections, McpDefinitions);
      await this.connections.connectAll(servers);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  #open(Connections: typeof McpConnections, Definitions: typeof McpDefinitions): McpConnections {
    const { processes, connector, environment, folder, secrets, learnSecret, asker, auth } = this.#parts;
    const toolSource = this.#parts.registry.source("an MCP server", sourceRanks.mcp);
    return new Connections({
      processes,
      connector,
      environment,
      cwd: folder,
      secrets,
      learnSecret,
      definitions: new Definitions({
        open: async () => (await this.#parts.store()).definitions,
        scope: localScope,
        nameSource: (server) => this.nameSource(server),
      }),
      ...(asker !== undefined && { asker }),
      ways: new KeptWays(this.#parts.home),
      onTools: (tools) => {
        toolSource.put(tools);
        this.#checkListed();
      },
      onHealth: () => this.#checkListed(),
      onError: (_server, error) => this.#parts.onError(error),
      ...(auth !== undefined && { auth }),
    });
  }

  #checkListed(): void {
    const health = this.connections?.health() ?? [];
    const isDone = ({ listAgeMs, status }: ServerHealth) =>
      listAgeMs !== undefined || status === "failed" || status === "disabled";
    if (health.length > 0 && health.every(isDone)) this.#allListed.resolve();
  }
}

function readName(server: object): unknown {
  return "name" in server ? server.name : undefined;
}
