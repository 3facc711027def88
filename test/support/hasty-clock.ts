import type { Clock } from "../../src/base/index.ts";

const longestWaitMs = 60_000;

/** A clock whose waits pass at once, and whose deadlines never do. */
export function createHastyClock(): Clock & { pass(ms: number): void } {
  let now = 0;
  return {
    now: () => now,
    after(delayMs, action) {
      if (delayMs >= longestWaitMs) return () => undefined;
      const soon = setImmediate(() => {
        now += delayMs;
        action();
      });
      return () => clearImmediate(soon);
    },
    pass(ms) {
      now += ms;
    },
  };
}
