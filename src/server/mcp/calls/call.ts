import type { MaybePromise } from "../../../base/index.ts";
import type { Approval, Interaction } from "../../../kernel/index.ts";
import type { McpClient } from "../client.ts";
import type { Params } from "../messages/message.ts";
import type { LogLevel } from "../messages/protocol.ts";
import type { RpcError } from "../messages/rpc-error.ts";

/** One request of a client while it is being answered, in either era. */
export interface Call {
  /** The id of the request, for people and logs. */
  readonly id: string;
  readonly method: string;
  readonly params: Params;
  readonly client: McpClient;
  /** True where each request stands for itself (2026-07-28 and later). */
  readonly modern: boolean;
  /** That of the session; of this request alone where each stands for itself. */
  readonly interaction: Interaction | undefined;
  /** Aborted when the client cancels. */
  readonly signal: AbortSignal;
  readonly progressToken: string | number | undefined;
  /** The least severe that the client wants to hear; undefined if it wants nothing. */
  readonly logLevel: LogLevel | undefined;
  /** Reason why no person can be asked through the client of this request, once it is known. */
  unattended?: string | undefined;
  /** A sentence that the model reads beside the result of this call. */
  readonly note?: string | undefined;
  /** Sends the client something that belongs to this call; lost where nobody listens. */
  notify(method: string, params: Params): void;
  /** Asks the client something, and waits for its answer. */
  ask(question: Question): Promise<Params>;
}

/** Something that a call needs from its client. */
export interface Question {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: Params;
  /** What the client's answer is filed under where a client may answer before it is asked. @default a name nobody can guess */
  readonly key: string | undefined;
  /** What the answer decides on, where that is kept: an answer that comes when the call is gone is taken for it. */
  readonly approval?: Pick<Approval, "id" | "expiresAt" | "digest"> | undefined;
  /** Withdraws the question. */
  readonly signal: AbortSignal;
  /** Called each time a question has been sent to the client. */
  readonly onAsked?: (() => void) | undefined;
  /** Throws an RpcError for an answer of the wrong form. */
  readonly check: (answer: Params) => void;
}

/** What answers a call. */
export interface Reply {
  /** The inside of the result object, as JSON. */
  readonly members: string;
  /** Goes out in place of the result. */
  readonly fault?: RpcError;
  /** The inside of the result's `_meta`, as JSON. */
  readonly meta?: string;
  /** Run once the answer is with the transport, and also where there is nobody left to answer. */
  readonly after?: () => void;
}

/** The stream that the messages for one request go to. */
export interface Outlet {
  /** False once nobody reads any more. */
  readonly open: boolean;
  /** A message that comes before the answer. */
  send(message: string): void;
  /** The answer; the last. */
  end(message: string, httpStatus: number): void;
  /** There will be no answer. */
  abandon(): void;
}

export type Method<Server> = (server: Server, call: Call) => MaybePromise<Reply>;
