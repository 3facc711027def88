import type { Interaction } from "../../../kernel/index.ts";
import type { McpClient } from "../client.ts";
import { notificationText, type Params, type RpcRequest } from "../messages/message.ts";
import { readMeta, readProgressToken } from "../messages/meta.ts";
import type { LogLevel } from "../messages/protocol.ts";
import type { Call, Outlet, Question } from "./call.ts";

/** What a call needs of the session it belongs to. */
export interface LegacyHost {
  readonly client: McpClient;
  readonly interaction: Interaction | undefined;
  readonly logLevel: LogLevel;
  ask(question: Question, outlet: Outlet): Promise<Params>;
}

/** A request of a session, while it is being answered. */
export class LegacyCall implements Call {
  readonly modern = false;
  readonly id: string;
  readonly method: string;
  readonly params: Params;
  readonly client: McpClient;
  interaction: Interaction | undefined;
  note: string | undefined;
  readonly progressToken: string | number | undefined;
  /** The client took the request back: it gets no answer. */
  cancelled = false;
  readonly #host: LegacyHost;
  readonly #outlet: Outlet;
  readonly #controller = new AbortController();

  constructor(host: LegacyHost, request: RpcRequest, outlet: Outlet) {
    this.id = String(request.id);
    this.method = request.method;
    this.params = request.params;
    this.client = host.client;
    this.interaction = host.interaction;
    this.progressToken = readProgressToken(readMeta(request));
    this.#host = host;
    this.#outlet = outlet;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get logLevel(): LogLevel {
    return this.#host.logLevel;
  }

  notify(method: string, params: Params): void {
    if (!this.cancelled && this.#outlet.open) this.#outlet.send(notificationText(method, params));
  }

  ask(question: Question): Promise<Params> {
    return this.#host.ask(question, this.#outlet);
  }

  cancel(reason: Error): void {
    this.cancelled = true;
    this.#controller.abort(reason);
  }
}
