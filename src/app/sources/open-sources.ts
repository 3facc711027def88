import { setTimeout as delay } from "node:timers/promises";
import { watchPath } from "../../host/index.ts";
import { type Hook, sourceRanks, type ToolContext, type ToolSource } from "../../kernel/index.ts";
import type { McpConnections, McpServerConfig } from "../../mcp/index.ts";
import type {
  AgentSource,
  CheckedExtensions,
  HookSource,
  ModuleExamples,
  SourceProblem,
} from "../../sources/index.ts";
import { FileSources } from "./file-sources.ts";
import { ServerSources } from "./server-sources.ts";
import type { SourceParts } from "./source-parts.ts";

/** What a user brought, as far as it can be used. */
export interface Sources {
  /** Asked before each call, for what must be loaded first; undefined once it is. Never rejects. */
  ready(): Promise<void> | undefined;
  /**
   * Waits before tools are listed: as {@link ready} does, and until every server has a list, the one it had
   * last counts, or has failed; for five seconds at most.
   */
  listed(): Promise<void> | undefined;
  /** Connects where that has not begun; resolves once every server has answered, or failed in its time. Never rejects. */
  settled(): Promise<void>;
  /** Says what is wrong with extensions; of files that are named, those they belong to, accepted or not. */
  checkExtensions(named?: readonly string[]): Promise<CheckedExtensions>;
  /** The examples of each module of an extension whose tools can be called. */
  extensionExamples(): readonly ModuleExamples[];
  hooks(): readonly Hook[];
  /** Absent where no agents are. */
  readonly agentSource: AgentSource | undefined;
  /** Absent where no hooks are written down. */
  readonly hookSource: HookSource | undefined;
  /** Absent where no servers are. */
  readonly mcp: McpConnections | undefined;
  /** The name under which a server's definitions are kept. */
  nameSource(server: Pick<McpServerConfig, "name">): string;
  /**
   * Opens the way to host programs that whoever listens for them brings: their tools are offered, tools in files
   * reach them, and it ends with the sources, or with the next that is opened.
   */
  openBridge<Opened extends HostBridge>(open: (ports: BridgePorts) => Opened): Promise<Opened>;
  problems(): readonly SourceProblem[];
  /** Connects to a server of the user's own file that was added since. Never rejects. */
  addServer(server: McpServerConfig): Promise<void>;
  /** Looks at all files again: after their owner has accepted some. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** The way to host programs, as far as the tools in files and the end of their installation need it. */
export interface HostBridge {
  readonly call: (action: string, args: unknown, context: ToolContext) => Promise<unknown>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** What an installation gives to a way to host programs. */
export interface BridgePorts {
  /** A tool source of the registry for the tools of one host program. */
  readonly openToolSource: (name: string) => ToolSource;
  /** The key that signs what host programs show. */
  readonly key: string;
  readonly onError: (error: unknown) => void;
}

/** Begins to load what is there. Servers are connected to in the background, and nobody waits for them. */
export function openSources(parts: SourceParts): Sources {
  return new OpenSources(parts);
}

class OpenSources implements Sources {
  readonly #parts: SourceParts;
  readonly #files: FileSources;
  readonly #servers: ServerSources;
  readonly #closing = new AbortController();
  #loading: Promise<void> | undefined;
  #listed: Promise<void> | undefined;
  #watches: readonly { close(): void }[] = [];
  #bridge: HostBridge | undefined;

  constructor(parts: SourceParts) {
    this.#parts = parts;
    this.#servers = new ServerSources(parts);
    this.#files = new FileSources(parts, {
      mcpTool: (server, tool) => this.#servers.tool(server, tool),
      callBridge: (action, args, context) => this.#callBridge(action, args, context),
    });
    if (parts.use === "none") return;
    this.#loading = this.#files.start().finally(() => {
      this.#loading = undefined;
    });
    if (parts.use === "follow") this.#follow(this.#loading);
  }

  ready(): Promise<void> | undefined {
    return this.#loading;
  }

  listed(): Promise<void> | undefined {
    return this.#listed;
  }

  async settled(): Promise<void> {
    if (this.#parts.use === "none") return;
    await this.#loading;
    await this.#servers.connect();
  }

  checkExtensions(named?: readonly string[]): Promise<CheckedExtensions> {
    return this.#files.checkExtensions(named);
  }

  extensionExamples(): readonly ModuleExamples[] {
    return this.#files.extensions.source?.examples() ?? [];
  }

  hooks(): readonly Hook[] {
    return this.#files.activeHooks();
  }

  get agentSource(): AgentSource | undefined {
    return this.#files.agents.source;
  }

  get hookSource(): HookSource | undefined {
    return this.#files.hooks.source;
  }

  get mcp(): McpConnections | undefined {
    return this.#servers.connections;
  }

  nameSource(server: Pick<McpServerConfig, "name">): string {
    return this.#servers.nameSource(server);
  }

  problems(): readonly SourceProblem[] {
    return [...this.#servers.problems(), ...this.#files.problems()];
  }

  async openBridge<Opened extends HostBridge>(open: (ports: BridgePorts) => Opened): Promise<Opened> {
    const { registry, home, onError } = this.#parts;
    const openToolSource = (name: string) => registry.source(name, sourceRanks.mcp);
    await this.#bridge?.close();
    const bridge = open({ openToolSource, key: home.bridgeKey(), onError });
    this.#bridge = bridge;
    await bridge.start();
    return bridge;
  }

  addServer(server: McpServerConfig): Promise<void> {
    return this.#servers.add(server);
  }

  reload(): Promise<void> {
    return this.#files.reload();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const watch of this.#watches) watch.close();
    await this.#loading;
    await Promise.all([this.#servers.close(), this.#bridge?.close(), this.#files.close()]);
  }

  #follow(loading: Promise<void>): void {
    const { home, onError } = this.#parts;
    const connecting = loading.then(() => this.#servers.connect());
    const listed = loading.then(() => this.#servers.listed());
    this.#listed = Promise.race([listed, connecting, delay(listMs, undefined, { ref: false })]).finally(
      () => {
        this.#listed = undefined;
      },
    );
    // What another program's `haft trust` and `haft mcp review` say yes to changes itself in nothing.
    this.#watches = [
      watchPath(home.trustedFiles, () => void this.reload().catch(onError)),
      watchPath(home.reviewMark, () => void this.mcp?.review(this.#closing.signal)),
    ];
  }

  async #callBridge(action: string, args: unknown, context: ToolContext): Promise<unknown> {
    if (this.#bridge !== undefined) return this.#bridge.call(action, args, context);
    const { BridgeError } = await import("../../sources/index.ts");
    throw new BridgeError(
      "BRIDGE_NOT_CONNECTED",
      `Cannot do "${action}": no host program can connect here; start \`haft serve --bridge\` and connect one`,
    );
  }
}

/** A client that lists the tools only once should get those of its servers; one that waits long gives up. */
const listMs = 5000;
