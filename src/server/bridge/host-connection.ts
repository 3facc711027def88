import type { ToolContent, ToolContext } from "../../kernel/index.ts";
import { BridgeError } from "../../sources/index.ts";
import type { HostTool } from "./announcement.ts";
import { type BridgeMessage, type HostMessage, toContent } from "./messages.ts";

/** What a call of a host program's tool needs of the call it is part of. */
export type BridgeContext = Pick<ToolContext, "signal" | "progress" | "awaitPerson">;

type Answer = Exclude<HostMessage, { readonly type: "announce" }>;

interface RunningCall {
  readonly tool: string;
  readonly progress: BridgeContext["progress"];
  readonly resolve: (content: ToolContent) => void;
  readonly reject: (reason: unknown) => void;
}

/** A person answers one at a time; a program that answers none of these will not answer more. */
const mostCalls = 8;

/** The calls that one host program has been asked for. Each ends once: with an answer, or because it can't come any more. */
export class HostConnection {
  readonly #send: (message: BridgeMessage) => void;
  readonly #running = new Map<string, RunningCall>();
  #count = 0;
  #isGone = false;

  constructor(send: (message: BridgeMessage) => void) {
    this.#send = send;
  }

  /** @throws {BridgeError} BRIDGE_GONE, BRIDGE_BUSY, BRIDGE_FAILED; the reason of `context.signal` once that is aborted. */
  async call(tool: HostTool, params: unknown, context: BridgeContext): Promise<ToolContent> {
    const { progress, signal: own } = context;
    const ask = (signal: AbortSignal) => this.#invoke(tool.name, params, { signal, progress });
    return tool.waitsForPerson ? context.awaitPerson(ask) : ask(own);
  }

  /** What the host program says of a call. An answer that nobody waits for any more is passed over. */
  take(answer: Answer): void {
    const call = this.#running.get(answer.id);
    if (call === undefined) return;
    switch (answer.type) {
      case "progress":
        return call.progress(answer.progress, answer.total, answer.message);
      case "error":
        return call.reject(
          new BridgeError("BRIDGE_FAILED", `The host program could not do "${call.tool}": ${answer.message}`),
        );
      case "result":
        try {
          return call.resolve(toContent(call.tool, answer.value, answer.content));
        } catch (thrown) {
          return call.reject(thrown);
        }
      default:
        answer satisfies never;
    }
  }

  /** The connection is over, and so is every call of it. */
  end(): void {
    this.#isGone = true;
    for (const { tool, reject } of this.#running.values()) reject(gone(tool));
  }

  #invoke(
    name: string,
    params: unknown,
    { signal, progress }: Pick<BridgeContext, "signal" | "progress">,
  ): Promise<ToolContent> {
    signal.throwIfAborted();
    if (this.#isGone) throw gone(name);
    if (this.#running.size >= mostCalls) {
      throw new BridgeError(
        "BRIDGE_BUSY",
        `Cannot ask the host program for "${name}": it has ${mostCalls} calls to answer; try again when some have ended`,
      );
    }
    const id = `call-${++this.#count}`;
    return new Promise<ToolContent>((resolve, reject) => {
      const cancel = () => {
        this.#send({ type: "cancel", id, reason: "the call was stopped: nobody waits for its answer" });
        settle(() => reject(signal.reason));
      };
      const settle = (end: () => void) => {
        signal.removeEventListener("abort", cancel);
        this.#running.delete(id);
        end();
      };
      signal.addEventListener("abort", cancel);
      this.#running.set(id, {
        tool: name,
        progress,
        resolve: (content) => settle(() => resolve(content)),
        reject: (reason) => settle(() => reject(reason)),
      });
      this.#send({ type: "invoke", id, name, params });
    });
  }
}

function gone(tool: string): BridgeError {
  return new BridgeError(
    "BRIDGE_GONE",
    `Cannot tell how "${tool}" ended: the host program went away before it answered; look at what it did before you repeat the call`,
  );
}
