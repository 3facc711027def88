import { type Clock, systemClock } from "../../src/base/index.ts";
import type { ToolUpdate } from "../../src/kernel/index.ts";

/** A deadline after just so many milliseconds passes when the test says so, and not before, however slow the machine is. */
export class HeldDeadline {
  readonly clock: Clock;
  #pass = (): void => {};

  constructor(ms: number) {
    this.clock = {
      now: () => systemClock.now(),
      after: (delayMs, action) => {
        if (delayMs !== ms) return systemClock.after(delayMs, action);
        this.#pass = action;
        return () => {};
      },
    };
  }

  pass(): void {
    this.#pass();
  }

  /** Passes once a call has said all of `text`; for the call's context. */
  onceSaid(text: string): (update: ToolUpdate) => void {
    let said = "";
    return (update) => {
      if (update.type === "output") said += update.text;
      if (said === text) this.pass();
    };
  }
}
