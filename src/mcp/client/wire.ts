import type {
  JSONRPCMessage,
  MessageExtraInfo,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { isRecord } from "../../base/index.ts";
import { badAnswer, toMcpError, unavailable } from "./faults.ts";
import type { ExchangeEnd } from "./opening/server-fetch.ts";
import { shownText } from "./tools/shown-schema.ts";

/** A request that waits for its answer, known by the word in its `_meta`. */
export interface Ask {
  /** Progress grows: what does not is no news. */
  reached: number;
  /** The id that it was last sent with. */
  id?: string | number;
  readonly fail: (error: Error) => void;
  /** Told of the answer, where the package did not make the request; undefined: the connection is over. */
  readonly answer?: (message: Answer | undefined) => void;
  readonly progress:
    | ((progress: number, total: number | undefined, message: string | undefined) => void)
    | undefined;
}

/** A result or an error. */
export type Answer =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

const maxProgress = 200;

/** The only notifications that the package does something about. */
const ofThePackage: ReadonlySet<string> = new Set([
  "notifications/cancelled",
  "notifications/subscriptions/acknowledged",
]);

/**
 * Sits between the package and a transport, and sees every message: it gives progress at once, in its order with the
 * results; it counts answers that nobody waits for, and drops notifications that mean nothing here, before they cost
 * anything; and it ends a request whose answer can't come any more.
 */
export class Wire implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  setProtocolVersion?: (version: string) => void;
  readonly hasPerRequestStream?: boolean;
  readonly asks: Map<string, Ask> = new Map();
  /** Told that the list of tools has changed, as often as the server says so. */
  onListChanged: (() => void) | undefined;
  /** Told of each request for whose answer nobody waits any more. */
  onDone: ((id: string | number) => void) | undefined;
  /** Messages that were no answer to anything. */
  strays = 0;
  /** Results of 2026-07-28 say their kind; one that does not is whole, as the specification has it. */
  isModern = false;
  /** When the last message came, Unix ms; 0 before the first. */
  heardAt = 0;
  readonly #server: string;
  readonly #inner: Transport;
  readonly #now: () => number;
  /** The word of each request that is not answered. */
  readonly #open = new Map<string | number, string | undefined>();
  #closed = false;

  constructor(server: string, inner: Transport, now: () => number) {
    this.#server = server;
    this.#inner = inner;
    this.#now = now;
    if (inner.setProtocolVersion !== undefined)
      this.setProtocolVersion = (version) => inner.setProtocolVersion?.(version);
    if (inner.hasPerRequestStream !== undefined) this.hasPerRequestStream = inner.hasPerRequestStream;
    if ("pid" in inner) Object.assign(this, { pid: inner.pid, stderr: null });
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message, extra) => this.#take(message, extra);
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => this.#end();
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#closed) throw unavailable(this.#server, "the connection broke; see its log");
    if ("method" in message && "id" in message) {
      const word = findWord(message);
      this.#open.set(message.id, word);
      const ask = word === undefined ? undefined : this.asks.get(word);
      if (ask !== undefined) ask.id = message.id;
    }
    await this.#inner.send(message, options);
  }

  async close(): Promise<void> {
    await this.#inner.close();
    this.#end();
  }

  /** The stream that was to bring an answer is over. What it brought is read first. */
  exchangeEnded({ id, resumable, error }: ExchangeEnd): void {
    if (id === undefined || (resumable && error === undefined)) return;
    setImmediate(() =>
      setImmediate(() => {
        const word = this.#open.get(id);
        const ask = word === undefined ? undefined : this.asks.get(word);
        if (!this.#open.delete(id) || ask === undefined) return;
        ask.fail(
          error === undefined
            ? badAnswer(this.#server, "its answer ended before there was a result")
            : toMcpError(this.#server, "the answer", error),
        );
      }),
    );
  }

  /** Whoever asked does not wait any more. */
  leave(word: string): void {
    const id = this.asks.get(word)?.id;
    this.asks.delete(word);
    if (id !== undefined && this.#open.delete(id)) this.onDone?.(id);
  }

  failAll(error: Error): void {
    for (const ask of this.asks.values()) ask.fail(error);
  }

  #take(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    this.heardAt = this.#now();
    if ("method" in message) {
      if ("id" in message || ofThePackage.has(message.method)) this.onmessage?.(message, extra);
      else if (message.method === "notifications/progress") this.#progress(message.params);
      else if (message.method === "notifications/tools/list_changed") this.onListChanged?.();
      return;
    }
    const id = "id" in message ? message.id : undefined;
    if (id === undefined || !this.#open.has(id)) {
      this.strays++;
      return;
    }
    const word = this.#open.get(id);
    this.#open.delete(id);
    if (this.isModern && "result" in message && isRecord(message.result))
      message.result["resultType"] ??= "complete";
    const ask = word === undefined ? undefined : this.asks.get(word);
    if (!isAnswer(message)) ask?.fail(badAnswer(this.#server, "it is neither a result nor an error"));
    else if (ask?.answer !== undefined) ask.answer(message);
    else this.onmessage?.(message, extra);
    this.onDone?.(id);
  }

  #progress(params: unknown): void {
    if (!isRecord(params)) return;
    const { progressToken, progress, total, message } = params;
    const ask = this.asks.get(String(progressToken));
    if (ask === undefined || typeof progress !== "number" || progress <= ask.reached) {
      this.strays++;
      return;
    }
    ask.reached = progress;
    ask.progress?.(
      progress,
      typeof total === "number" ? total : undefined,
      typeof message === "string" ? shownText(message, maxProgress) : undefined,
    );
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
    for (const ask of this.asks.values()) ask.answer?.(undefined);
  }
}

/** How a request and its progress are known: ids are the package's own, and are made anew for each leg of a call. */
function findWord(message: JSONRPCMessage): string | undefined {
  const params: unknown = "params" in message ? message.params : undefined;
  const meta = isRecord(params) ? params["_meta"] : undefined;
  const word = isRecord(meta) ? meta["progressToken"] : undefined;
  return typeof word === "string" ? word : undefined;
}

function isAnswer(message: object): message is Answer {
  if ("result" in message) return isRecord(message.result);
  const error: unknown = "error" in message ? message.error : undefined;
  return isRecord(error) && typeof error["code"] === "number" && typeof error["message"] === "string";
}
