import { McpError } from "../../../mcp/index.ts";
import type { Question } from "../calls/call.ts";
import {
  notificationText,
  type Params,
  type RequestId,
  type RpcResponse,
  requestText,
} from "../messages/message.ts";

interface Open {
  readonly question: Question;
  readonly resolve: (answer: Params) => void;
  readonly reject: (error: unknown) => void;
  readonly forget: () => void;
}

/** The requests that a server has made of one client and that wait for an answer: how it was before 2026-07-28. */
export class Questions {
  readonly #open = new Map<RequestId, Open>();
  #count = 0;

  ask(question: Question, send: (message: string) => void): Promise<Params> {
    const { method, params, signal } = question;
    if (signal.aborted) return Promise.reject(signal.reason);
    const id = `haft-${++this.#count}`;
    return new Promise((resolve, reject) => {
      const withdraw = () => {
        this.#open.delete(id);
        send(notificationText("notifications/cancelled", { requestId: id, reason: "no longer needed" }));
        reject(signal.reason);
      };
      signal.addEventListener("abort", withdraw, { once: true });
      this.#open.set(id, {
        question,
        resolve,
        reject,
        forget: () => signal.removeEventListener("abort", withdraw),
      });
      send(requestText(id, method, params));
      question.onAsked?.();
    });
  }

  /** An answer to nothing that was asked is passed over. */
  answer({ id, result, error }: RpcResponse): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    open.forget();
    const { question, resolve, reject } = open;
    if (result === undefined) {
      const said = `${error?.message ?? ""} (${error?.code ?? 0})`;
      reject(
        new McpError(
          "MCP_CLIENT_ERROR",
          `Cannot get an answer to ${question.method}: the client failed: ${said}`,
        ),
      );
      return;
    }
    try {
      question.check(result);
      resolve(result);
    } catch (cause) {
      reject(
        new McpError(
          "MCP_BAD_ANSWER",
          `Cannot use the client's answer to ${question.method}: it has the wrong form`,
          { cause },
        ),
      );
    }
  }

  /** Nobody will answer any more. */
  close(): void {
    for (const [id, { question, reject, forget }] of this.#open) {
      this.#open.delete(id);
      forget();
      reject(noAnswer(question.method));
    }
  }
}

export function noAnswer(method: string): McpError {
  return new McpError(
    "MCP_NO_ANSWER",
    `Cannot get an answer to ${method}: the client is gone; make the call again`,
  );
}
