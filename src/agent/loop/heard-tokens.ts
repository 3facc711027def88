import type { ChatEvent } from "../../model/index.ts";

/** The rate at which tokens are estimated. */
const charsPerToken = 4;

/** Estimates the tokens of an answer as it streams: they are paid for, though the answer is never whole. */
export class HeardTokens {
  #chars = 0;

  hear(event: ChatEvent): void {
    if ("delta" in event) this.#chars += event.delta.length;
  }

  /** The tokens since the last call of this function. */
  take(): number {
    const tokens = Math.ceil(this.#chars / charsPerToken);
    this.#chars = 0;
    return tokens;
  }
}
