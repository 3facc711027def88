import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { type Clock, isRecord } from "../../base/index.ts";
import { McpError } from "../errors.ts";
import type { Deadline } from "./deadline.ts";
import { badAnswer, said, toMcpError, unavailable } from "./faults.ts";
import type { ServerWays } from "./ports.ts";
import type { ServerTool } from "./tools/server-tool.ts";
import type { Answer, Ask, Wire } from "./wire.ts";

export type Result = Readonly<Record<string, unknown>>;

export interface LinkRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly deadline: Deadline;
  readonly progress?: Ask["progress"];
  /** The tool of a call: some of its arguments are repeated in headers. */
  readonly tool?: Pick<ServerTool, "name" | "inputSchema">;
}

/** A request as it is sent. */
interface Message {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface Asking extends Pick<LinkRequest, "deadline" | "progress"> {
  /** Names the request and its progress. */
  readonly word: string;
  readonly sent: Message;
}

/** Time is kept here, on haft's own clock. */
const forever = 2 ** 31 - 1;
let words = 0;
/** The first id of a request that the package does not make. It counts from 0, and makes few requests itself. */
const firstId = 1_000_000_000;

/** Whatever is an object: what of it is used is looked at where it is used. */
const anyResult: StandardSchemaV1<unknown, Result> = {
  "~standard": {
    version: 1,
    vendor: "haft",
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: "it is no object" }] }),
  },
};

export interface LinkParts {
  readonly client: Client;
  readonly wire: Wire;
  readonly ways: ServerWays;
  readonly clock: Clock;
  /** What the answer to a call has to be. */
  readonly callResult: StandardSchemaV1<unknown, object>;
  readonly close: () => Promise<void>;
  readonly explainEnd?: () => Promise<McpError>;
}

/** A connection to a server that is made, in one of the ways that there are. */
export class Link {
  readonly client: Client;
  readonly wire: Wire;
  readonly ways: ServerWays;
  /** Finds out why it is over, where that can be known. */
  readonly explainEnd: (() => Promise<McpError>) | undefined;
  /** Resolves when it is over. */
  readonly closed: Promise<void>;
  readonly #server: string;
  readonly #clock: Clock;
  readonly #callResult: LinkParts["callResult"];
  readonly #close: () => Promise<void>;

  constructor(server: string, parts: LinkParts) {
    this.#server = server;
    this.client = parts.client;
    this.wire = parts.wire;
    this.ways = parts.ways;
    this.#clock = parts.clock;
    this.#callResult = parts.callResult;
    this.#close = parts.close;
    this.explainEnd = parts.explainEnd;
    this.wire.isModern = this.isModern;
    this.closed = new Promise((resolve) => {
      this.client.onclose = () => resolve();
    });
  }

  get isModern(): boolean {
    return this.client.getProtocolEra() === "modern";
  }

  get capabilities(): Readonly<Record<string, unknown>> {
    return (this.client.getServerCapabilities() ?? {}) as Record<string, unknown>;
  }

  /** Over HTTP, a server of 2026-07-28 gets some arguments in headers too. */
  get #mirrorsArguments(): boolean {
    return this.isModern && this.ways.transport !== undefined;
  }

  /** Whether nothing was heard for so long. */
  silentFor(ms: number): boolean {
    return this.#clock.now() - this.wire.heardAt >= ms;
  }

  /**
   * Asks the server one thing. What becomes of it is decided by the server, by the deadline, or by the end of the
   * connection, whichever is first.
   *
   * @throws {McpError} and whatever the deadline fails with.
   */
  async request({ method, params, deadline, progress, tool }: LinkRequest): Promise<Result> {
    const word = `haft-${++words}`;
    const meta = isRecord(params?.["_meta"]) ? params["_meta"] : {};
    const sent: Message = { method, params: { ...params, _meta: { ...meta, progressToken: word } } };
    const asking: Asking = { word, sent, deadline, progress };
    try {
      if (deadline.failure !== undefined) throw deadline.failure;
      const result = this.isModern ? await this.#askByPackage(asking, tool) : await this.#askPlainly(asking);
      if (!isRecord(result)) throw badAnswer(this.#server, "it is no object");
      return tool === undefined || this.isModern ? result : await this.#checkCallResult(result);
    } catch (error) {
      throw deadline.failure ?? toMcpError(this.#server, `"${method}"`, error);
    } finally {
      this.wire.leave(word);
    }
  }

  /** A request of 2026-07-28 has more to it than its text: what is in its `_meta` and headers, and answers that ask. */
  async #askByPackage(
    { word, sent, deadline, progress }: Asking,
    tool: LinkRequest["tool"],
  ): Promise<unknown> {
    const cancel = new AbortController();
    let broken: Error | undefined;
    const fail = (error: Error) => {
      broken = error;
      cancel.abort(lostReason);
    };
    this.wire.asks.set(word, { fail, progress, reached: Number.NEGATIVE_INFINITY });
    const leave = deadline.onFail(() => cancel.abort(formatReason(deadline)));
    try {
      const options = { signal: cancel.signal, timeout: forever, allowInputRequired: true };
      return await (tool !== undefined && this.#mirrorsArguments
        ? this.client.callTool(sent.params as never, { ...options, toolDefinition: toDefinition(tool) })
        : this.client.request(sent, tool === undefined ? anyResult : this.#callResult, options));
    } catch (error) {
      throw deadline.failure ?? broken ?? error;
    } finally {
      leave();
    }
  }

  /** Sends a request as it is to a server of 2025-11-25 or before, and waits for its answer alone. */
  #askPlainly({ word, sent, deadline, progress }: Asking): Promise<unknown> {
    const id = firstId + words;
    return new Promise((resolve, reject) => {
      const giveUp = (error: Error | undefined, reason: string) => {
        leave();
        reject(error);
        this.#tellCancelled(id, reason);
      };
      const leave = deadline.onFail(() => giveUp(deadline.failure, formatReason(deadline)));
      const answer = (message: Answer | undefined) => {
        leave();
        if (message === undefined) reject(unavailable(this.#server, "the connection broke; see its log"));
        else if ("error" in message) reject(toServerError(message.error));
        else resolve(withoutKind(message.result));
      };
      const fail = (error: Error) => giveUp(error, lostReason);
      this.wire.asks.set(word, { fail, answer, progress, reached: Number.NEGATIVE_INFINITY });
      this.wire.send({ jsonrpc: "2.0", id, ...sent }).catch((error: unknown) => {
        leave();
        reject(error);
      });
    });
  }

  #tellCancelled(requestId: number, reason: string): void {
    const told = {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId, reason },
    } as const;
    this.wire.send(told).catch(() => undefined); // It is gone, and needs not be told.
  }

  async #checkCallResult(result: Result): Promise<Result> {
    if (isPlainText(result)) return result;
    const checked = await this.#callResult["~standard"].validate(result);
    if (checked.issues === undefined) return checked.value as Result;
    const issues = checked.issues.map(({ path = [], message }) => {
      const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
      return place === "" ? message : `${place}: ${message}`;
    });
    throw badAnswer(this.#server, said(`Invalid result for tools/call: ${issues.join(", ")}`));
  }

  async close(): Promise<void> {
    await this.#close();
  }
}

/** Reason that the server is given for a request that ended without its answer. */
const lostReason = "the answer can't come any more";

/** What the server is told of a cancelled request: nothing of ours beyond why. */
function formatReason({ failure }: Deadline): string {
  return failure instanceof McpError && failure.code === "MCP_TIMEOUT" ? "timeout" : "cancelled";
}

function toDefinition({ name, inputSchema }: Pick<ServerTool, "name" | "inputSchema">): never {
  return { name, inputSchema } as never;
}

function toServerError({ code, message, data }: { code: number; message: string; data?: unknown }): Error {
  return Object.assign(new Error(message), { code, data });
}

/** Before 2026-07-28 a result has no kind, whatever it says. */
function withoutKind(result: Result): Result {
  if (!("resultType" in result)) return result;
  const { resultType: _kind, ...rest } = result;
  return rest;
}

/** Whether a result holds nothing but texts, as most do. That is in its form without a look at the schema. */
function isPlainText(result: Result): boolean {
  const { content, isError = false, ...others } = result;
  return (
    typeof isError === "boolean" &&
    Object.keys(others).length === 0 &&
    Array.isArray(content) &&
    content.every(
      (block: unknown) =>
        isRecord(block) &&
        block["type"] === "text" &&
        typeof block["text"] === "string" &&
        Object.keys(block).length === 2,
    )
  );
}
