import { type Clock, systemClock } from "../../base/index.ts";
import type {
  CallContext,
  Interaction,
  InteractionOptions,
  ToolExecutor,
  ToolIcon,
  ToolInfo,
  ToolRegistry,
  Toolset,
} from "../../kernel/index.ts";
import type { McpApprovals } from "./asking/approvals-port.ts";
import { ParkedCalls } from "./asking/parked.ts";
import { SelfAnswers } from "./asking/self-answers.ts";
import type { Call } from "./calls/call.ts";
import { ToolList } from "./calls/tool-list.ts";
import type { McpClient } from "./client.ts";
import type { ChooseServer } from "./mcp-server.ts";
import { metaKeys } from "./messages/protocol.ts";
import { Changes } from "./offers/changes.ts";
import type { McpPrompts } from "./offers/prompt-port.ts";
import type { McpResources } from "./offers/resource-port.ts";

/** What a client's calls may do. It can't say who calls or how the call ends: the server does. */
export type CallBounds = Pick<
  CallContext,
  | "scope"
  | "agentId"
  | "userId"
  | "project"
  | "allowedPaths"
  | "allowedHosts"
  | "allowedTools"
  | "blockedTools"
  | "limits"
  | "mode"
  | "timeoutMs"
>;

/** What a server offers, to whom, and within which bounds. */
export interface McpServerOptions {
  readonly registry: ToolRegistry;
  readonly executor: Pick<ToolExecutor, "execute" | "emitCompletion" | "toolset">;
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly ToolIcon[];
  /** What the model is told: how the tools are meant to be used together. */
  readonly instructions?: string;
  readonly resources?: McpResources;
  readonly prompts?: McpPrompts;
  /**
   * The bounds of a client's calls; called once a session in the older revisions and once a request from
   * 2026-07-28 on, so it must be quick. Return the same arrays each time: the list of tools is kept for them.
   * @default no bounds: no paths, no hosts, all tools
   */
  readonly context?: (client: McpClient) => CallBounds;
  /**
   * What a client is shown of the tools it has, and how that grows: asked for each session in the older revisions, and
   * for each request from 2026-07-28 on, where `tools/list` is the same for everybody and what was loaded is said in
   * the arguments of tools. @default all that the client has
   */
  readonly interaction?: (client: McpClient, options: InteractionOptions) => Interaction;
  /**
   * Whether `tools/list` has a tool that the executor shows to a client; the others can be called by name.
   * @default all
   */
  readonly shown?: (tool: ToolInfo) => boolean;
  /**
   * Waited for before tools are listed, and before one is called that is not there: tools that come from elsewhere may
   * still be on their way. Undefined: none are. Must not reject.
   */
  readonly arriving?: () => Promise<void> | undefined;
  /** Tools, resources or prompts on one page of a list. @default 1,000 */
  readonly pageSize?: number;
  /** How long clients may keep the list of tools unasked. @default 60,000 */
  readonly listTtlMs?: number;
  /** Calls that may wait for a client's answer between two requests (2026-07-28). @default 1,000 */
  readonly maxParked?: number;
  /** How long such a call waits for the client to come back. @default 300,000 */
  readonly parkedMs?: number;
  /** `subscriptions/listen` streams at once. @default 1,000 */
  readonly maxSubscriptions?: number;
  /**
   * The store of questions to people. With it and `stateKey`, the answer of a client of 2026-07-28 counts also
   * where the call that asked is gone, after a restart or for want of time. @default none
   */
  readonly approvals?: McpApprovals;
  /**
   * Chooses, over HTTP and for clients of 2025-11-25 and before, which server answers a session. @default this one
   */
  readonly chooseServer?: ChooseServer;
  /** Signs what clients bring back between two requests: 32 bytes or more, kept secret, the same in the next process. @default random */
  readonly stateKey?: string | Uint8Array;
  readonly clock?: Clock;
  /**
   * A question of approval that is answered sooner has been read by nobody: its answer does not count, be it a yes or a
   * no. People take longer to see that there is a question; programs that answer by themselves take milliseconds.
   * @default 700
   */
  readonly readingMs?: number;
  /** Told of faults that a client only learns the existence of. */
  readonly onError?: (error: unknown) => void;
}

/** The channel in the origin of every call. */
export const channel = "mcp";

const noBounds: CallBounds = {};

/** What all connections of one server share. */
export class ServerCore {
  readonly options: McpServerOptions;
  readonly clock: Clock;
  readonly resources: McpResources | undefined;
  readonly prompts: McpPrompts | undefined;
  readonly pageSize: number;
  readonly tools: ToolList;
  readonly changes: Changes = new Changes();
  readonly parked: ParkedCalls;
  readonly selfAnswers: SelfAnswers = new SelfAnswers();
  readonly readingMs: number;
  /** The server's name and version, as clients see them. */
  readonly info: Readonly<Record<string, unknown>>;
  /** The same as a member of a result's `_meta`. */
  readonly infoMeta: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly canComplete: boolean;
  /** Ends every subscription that is open. */
  readonly subscriptions: Set<() => void> = new Set();
  readonly #stops: (() => void)[] = [];
  readonly #closers = new Set<() => void>();

  constructor(options: McpServerOptions) {
    const { name, version, title, websiteUrl, icons, registry, resources, prompts } = options;
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.readingMs = options.readingMs ?? 700;
    this.resources = resources;
    this.prompts = prompts;
    this.pageSize = options.pageSize ?? 1000;
    this.tools = new ToolList({
      registry,
      shown: options.shown,
      pageSize: this.pageSize,
      ttlMs: options.listTtlMs ?? 60_000,
    });
    this.parked = new ParkedCalls({
      max: options.maxParked ?? 1000,
      waitMs: options.parkedMs ?? 300_000,
      clock: this.clock,
      key: options.stateKey,
    });
    this.info = {
      name,
      version,
      ...(title !== undefined && { title }),
      ...(websiteUrl !== undefined && { websiteUrl }),
      ...(icons !== undefined && { icons }),
    };
    this.infoMeta = `${JSON.stringify(metaKeys.serverInfo)}:${JSON.stringify(this.info)}`;
    this.canComplete = resources?.complete !== undefined || prompts?.complete !== undefined;
    this.capabilities = this.#toCapabilities();
    this.#listen();
  }

  /** What a client has of the tools; rules may go by the channel. */
  readonly getToolset = ({ client, interaction }: Pick<Call, "client" | "interaction">): Toolset =>
    this.options.executor.toolset({
      ...this.getBounds(client),
      ...(interaction !== undefined && { interaction }),
      origin: { channel },
    });

  /** @param passing of one request, not of a session */
  openInteraction(client: McpClient, passing: boolean): Interaction | undefined {
    const toolset = () => this.getToolset({ client, interaction: undefined });
    return this.options.interaction?.(client, { toolset, passing });
  }

  readonly getBounds = (client: McpClient): CallBounds => this.options.context?.(client) ?? noBounds;

  readonly onError = (error: unknown): void => this.options.onError?.(error);

  get maxSubscriptions(): number {
    return this.options.maxSubscriptions ?? 1000;
  }

  /** Has `close` called when the server closes; the returned function takes that back. */
  onClose(close: () => void): () => void {
    this.#closers.add(close);
    return () => void this.#closers.delete(close);
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
    for (const end of this.subscriptions) end();
    for (const close of this.#closers) close();
    this.parked.close();
  }

  #toCapabilities(): Record<string, unknown> {
    const { resources, prompts } = this;
    return {
      tools: { listChanged: true },
      logging: {},
      ...(resources !== undefined && {
        resources: {
          ...(resources.onUpdate !== undefined && { subscribe: true }),
          ...(resources.onListChange !== undefined && { listChanged: true }),
        },
      }),
      ...(prompts !== undefined && {
        prompts: { ...(prompts.onListChange !== undefined && { listChanged: true }) },
      }),
      ...(this.canComplete && { completions: {} }),
    };
  }

  #listen(): void {
    const { changes, resources, prompts } = this;
    const stops = [
      this.options.registry.onChange(() => changes.report({ type: "tools" })),
      resources?.onListChange?.(() => changes.report({ type: "resources" })),
      resources?.onUpdate?.((uri) => changes.report({ type: "resource", uri })),
      prompts?.onListChange?.(() => changes.report({ type: "prompts" })),
    ];
    for (const stop of stops) if (stop !== undefined) this.#stops.push(stop);
  }
}
