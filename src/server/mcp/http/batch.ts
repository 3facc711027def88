import type { Outlet } from "../calls/call.ts";
import { errorText, type RpcMessage, readMessage } from "../messages/message.ts";
import { invalidRequest } from "../messages/rpc-error.ts";
import type { Session } from "../session.ts";

/** Revisions that know batches; 2025-06-18 took them out. */
function knowsBatches(protocolVersion: string | undefined): boolean {
  return protocolVersion !== undefined && protocolVersion <= "2025-03-26";
}

const mostInBatch = 1000;

/**
 * Hands the messages of a batch to their session. The way for the answers is opened only if there will be any;
 * returns whether it was.
 */
export function receiveBatch(
  session: Session,
  batch: readonly unknown[],
  size: number,
  openOutlet: () => Outlet,
): boolean {
  const fault = findFault(batch, session.protocolVersion);
  if (fault !== undefined) {
    openOutlet().end(errorText(undefined, invalidRequest(`Cannot take the batch: ${fault}`)), 400);
    return true;
  }
  const messages = batch.map((value) => readMessage(value, size));
  const answered = messages.filter(({ kind }) => kind === "request" || kind === "invalid").length;
  const answers = answered === 0 ? undefined : new Batch(openOutlet(), answered);
  for (const message of messages) receiveOne(session, message, answers);
  return answers !== undefined;
}

function findFault(batch: readonly unknown[], protocolVersion: string | undefined): string | undefined {
  if (!knowsBatches(protocolVersion)) return "this protocol version has none; send each message by itself";
  if (batch.length === 0) return "it is empty";
  return batch.length > mostInBatch
    ? `it has more than ${mostInBatch} messages; send fewer at once`
    : undefined;
}

function receiveOne(session: Session, message: RpcMessage, answers: Batch | undefined): void {
  switch (message.kind) {
    case "request":
      if (answers !== undefined) session.request(message, answers.part());
      return;
    case "invalid":
      answers?.part().end(errorText(message.id, message.error), 400);
      return;
    case "notification":
      session.notification(message);
      return;
    case "response":
      session.response(message);
      return;
    default:
      message satisfies never;
  }
}

/** Gathers the answers to the requests of one batch; they leave together, as one message. */
class Batch {
  readonly #outlet: Outlet;
  readonly #answers: string[] = [];
  #unanswered: number;

  constructor(outlet: Outlet, requests: number) {
    this.#outlet = outlet;
    this.#unanswered = requests;
  }

  /** The way for one of the requests. */
  part(): Outlet {
    const outlet = this.#outlet;
    return {
      get open() {
        return outlet.open;
      },
      send: (message) => outlet.send(message),
      end: (message) => {
        this.#answers.push(message);
        this.#count();
      },
      abandon: () => this.#count(),
    };
  }

  #count(): void {
    this.#unanswered--;
    if (this.#unanswered > 0) return;
    if (this.#answers.length === 0) this.#outlet.abandon();
    else this.#outlet.end(`[${this.#answers.join(",")}]`, 200);
  }
}
