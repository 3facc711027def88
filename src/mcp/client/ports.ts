import type { Clock, MaybePromise } from "../../base/index.ts";
import type { Connector, Environment, Processes } from "../../host/index.ts";
import type { SecretSource, ToolContext } from "../../kernel/index.ts";
import type { McpServerConfig } from "./config.ts";
import type { ServerTool } from "./tools/server-tool.ts";

/** What was last known of a server's tools. */
export interface KnownTools {
  readonly tools: readonly ServerTool[];
  /** Unix ms. */
  readonly listedAt: number;
}

/** Which of a server's tools are offered, and which are put aside until somebody has looked at them. */
export interface ReviewedTools {
  readonly accepted: readonly ServerTool[];
  /** Those put aside, by the server's own names. */
  readonly quarantined: readonly { readonly name: string; readonly reason: string }[];
}

/** Which definitions of a server its owner has accepted. */
export interface Definitions {
  /** What was accepted when haft last ran, offered until the server is there. */
  lastKnown(server: McpServerConfig): MaybePromise<KnownTools | undefined>;
  /** Judges a list that the server has just given. Rejecting leaves the tools as they were. */
  review(server: McpServerConfig, tools: readonly ServerTool[]): MaybePromise<ReviewedTools>;
}

/** What gives the token for requests to one server. An `AuthProvider` of the MCP SDK is one. */
export interface TokenProvider {
  /** Returns the token for the next request; undefined for none. */
  token(): Promise<string | undefined>;
  /** Called for an answer with status 401: what it does may make `token()` give another, and the request is sent once more. */
  onUnauthorized?(context: { readonly response: Response; readonly serverUrl: URL }): Promise<void>;
}

/** How requests to one server are authorised. */
export interface ServerAuth {
  readonly provider: TokenProvider;
  /** Hosts of its authorization server, beside the server's own. */
  readonly hosts?: readonly string[];
}

/** Undefined for a server that needs nothing, or brings its own headers. */
export type AuthProviders = (server: McpServerConfig) => MaybePromise<ServerAuth | undefined>;

/** What a server asks a person in the middle of a call. All texts are a stranger's, with nothing invisible in them. */
export type ServerQuestion =
  | {
      readonly mode: "form";
      readonly server: string;
      readonly message: string;
      /** An object of plain fields. */
      readonly schema: Readonly<Record<string, unknown>>;
    }
  | { readonly mode: "url"; readonly server: string; readonly message: string; readonly url: string };

/** What is answered to a question of a server; `content` is what was filled in. */
export type ServerAnswer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" };

/** Puts questions of servers to whoever is at hand, for calls whose channel has no way back. The call's place is free meanwhile. */
export interface Asker {
  /** Must decline where nobody can be asked. `signal` withdraws the question. */
  ask(question: ServerQuestion, context: ToolContext, signal: AbortSignal): Promise<ServerAnswer>;
}

/**
 * A channel's handle on who made a call, where it can put a question of a server to them: the `peer` of the call's
 * origin. It is asked before any {@link Asker}.
 */
export interface AnsweringPeer {
  /** Must decline where nobody can be asked. `signal` withdraws the question. */
  answerServer(question: ServerQuestion, signal: AbortSignal): Promise<ServerAnswer>;
}

/** What turned out to work with a server, so that the next connection need not try. */
export interface ServerWays {
  readonly era?: "legacy" | "modern";
  readonly transport?: "streamable-http" | "sse";
}

/** What is remembered of how servers speak, so that the next start need not find it out again. */
export interface WaysMemory {
  /** @param key the server's name and what it is reached by */
  get(key: string): MaybePromise<ServerWays | undefined>;
  set(key: string, ways: ServerWays): MaybePromise<void>;
}

/** What connections are made with. */
export interface McpClientServices {
  readonly processes: Pick<Processes, "open">;
  readonly connector: Pick<Connector, "open">;
  readonly environment: Pick<Environment, "childEnvironment">;
  /** The project's folder: servers start there, and relative paths of theirs are meant from there. */
  readonly cwd: string;
  readonly secrets?: SecretSource;
  /** Told of each secret that a server is given, before it has it. */
  readonly learnSecret?: (name: string, value: string) => void;
  /** Absent: every definition is accepted as it comes, and nothing is known of a server that is not there. */
  readonly definitions?: Definitions;
  readonly auth?: AuthProviders;
  /** Absent: every question is declined. */
  readonly asker?: Asker;
  /** @default forgotten when the program ends */
  readonly ways?: WaysMemory;
  /** How this client calls itself. @default haft */
  readonly clientInfo?: { readonly name: string; readonly version: string };
  readonly clock?: Clock;
  /** A random number from 0 to 1: spreads reconnects. @default Math.random */
  readonly random?: () => number;
  /** Told what no result can carry. */
  readonly onError?: (server: string, error: unknown) => void;
}
