import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { type Clock, isRecord } from "../../base/index.ts";
import { McpError } from "../errors.ts";
import type { Deadline } from "./deadline.ts";
import { badAnswer, toMcpError } from "./faults.ts";
import type { ServerWays } from "./ports.ts";
import type { ServerTool } from "./tools/server-tool.ts";
import type { Ask, Wire } from "./wire.ts";

export type Result = Readonly<Record<string, unknown>>;

export interface LinkRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly deadline: Deadline;
  readonly progress?: Ask["progress"];
  /** The tool of a call: some of its arguments are repeated in headers. */
  readonly tool?: Pick<ServerTool, "name" | "inputSchema">;
}

/** Time is kept here, on haft's own clock. */
const forever = 2 ** 31 - 1;
let words = 0;

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
    const cancel = new AbortController();
    let broken: Error | undefined;
    const fail = (error: Error) => {
      broken = error;
      cancel.abort("the answer can't come any more");
    };
    this.wire.asks.set(word, { fail, progress, reached: Number.NEGATIVE_INFINITY });
    const meta = isRecord(params?.["_meta"]) ? params["_meta"] : {};
    const sent = { ...params, _meta: { ...meta, progressToken: word } };
    const onFail = () => cancel.abort(formatReason(deadline));
    deadline.signal.addEventListener("abort", onFail, { once: true });
    try {
      const options = { signal: cancel.signal, timeout: forever, allowInputRequired: true };
      const result: unknown = await (tool !== undefined && this.#mirrorsArguments
        ? this.client.callTool(sent as never, { ...options, toolDefinition: toDefinition(tool) })
        : this.client.request(
            { method, params: sent },
            tool === undefined ? anyResult : this.#callResult,
            options,
          ));
      if (!isRecord(result)) throw badAnswer(this.#server, "it is no object");
      return result;
    } catch (error) {
      throw deadline.failure ?? broken ?? toMcpError(this.#server, `"${method}"`, error);
    } finally {
      deadline.signal.removeEventListener("abort", onFail);
      this.wire.leave(word);
    }
  }

  async close(): Promise<void> {
    await this.#close();
  }
}

/** What the server is told of a cancelled request: nothing of ours beyond why. */
function formatReason({ failure }: Deadline): string {
  return failure instanceof McpError && failure.code === "MCP_TIMEOUT" ? "timeout" : "cancelled";
}

function toDefinition({ name, inputSchema }: Pick<ServerTool, "name" | "inputSchema">): never {
  return { name, inputSchema } as never;
}
