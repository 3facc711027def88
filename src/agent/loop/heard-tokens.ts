import { type ChatEvent, charsPerToken } from "../../model/index.ts";

/** Estimates the tokens of an answer while it streams. They are paid for even if the answer never becomes whole. */
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
