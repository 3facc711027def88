import { OperatorFault, type OperatorRequest } from "./operator-messages.ts";

/** Maximum number of requests that wait for a dispatch to end. */
const mostWaiting = 100;

/**
 * The order of the requests of one connection: what comes after a dispatch waits for it, so that it has the rights that
 * the dispatch gives. Nothing runs after a dispatch that failed, since it would have the rights of before.
 */
export class Conversation {
  readonly #onEnd: () => void;
  #dispatching: Promise<void> | undefined;
  #waiting = 0;
  #ended = false;

  /** @param onEnd called once, as soon as a dispatch has failed */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** Ends the conversation, as a failed dispatch does. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
  }

  /** @throws {OperatorFault} RATE_LIMIT_EXCEEDED; SESSION_NOT_FOUND after a dispatch that failed; what `perform` throws. */
  async take<Answer>(request: OperatorRequest, perform: () => Promise<Answer>): Promise<Answer> {
    if (this.#dispatching !== undefined && this.#waiting >= mostWaiting) throw this.#tooMany(request);
    this.#waiting++;
    // Those that waited for the same dispatch go on in their order, and one of them may be a dispatch too.
    while (this.#dispatching !== undefined) await this.#dispatching;
    this.#waiting--;
    if (this.#ended) {
      const message =
        "Cannot take the request: a dispatch before it failed, which ends the connection; connect again";
      throw new OperatorFault("SESSION_NOT_FOUND", message, request.id);
    }
    return request.type === "dispatch" ? this.#dispatch(perform) : perform();
  }

  async #dispatch<Answer>(perform: () => Promise<Answer>): Promise<Answer> {
    const dispatched = perform();
    this.#dispatching = dispatched.then(
      () => void (this.#dispatching = undefined),
      () => {
        this.#dispatching = undefined;
        this.end();
      },
    );
    return dispatched;
  }

  #tooMany({ id, type }: OperatorRequest): OperatorFault {
    if (type === "dispatch") this.end();
    const message = `Cannot take the request: ${mostWaiting} requests wait for a dispatch to end already; wait for its answer`;
    return new OperatorFault("RATE_LIMIT_EXCEEDED", message, id);
  }
}
