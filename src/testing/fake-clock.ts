import type { Clock } from "../base/index.ts";

/** A clock that stands still until it is moved. */
export interface FakeClock extends Clock {
  /** Timers that are set and have not run. */
  readonly pending: number;
  /**
   * Moves time on by `ms`, running each timer at its moment, in order; those of one moment in the order they were
   * set. Between timers, and at the end, whatever became ready to run is let run.
   */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly action: () => void;
}

/**
 * Makes a clock that shows `startAt` (Unix ms). @default 2026-01-01T00:00:00Z
 *
 * @example
 * ```ts
 * const clock = createFakeClock(0);
 * let rang = false;
 * clock.after(1_000, () => {
 *   rang = true;
 * });
 * await clock.advance(1_000);
 * rang; // → true
 * clock.now(); // → 1_000
 * ```
 */
export function createFakeClock(startAt: number = Date.UTC(2026, 0, 1)): FakeClock {
  let now = startAt;
  const timers = new Set<Timer>();

  function nextUntil(time: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.due <= time && (next === undefined || timer.due < next.due)) next = timer;
    }
    return next;
  }

  return {
    now: () => now,
    after(delayMs, action) {
      const timer = { due: now + Math.max(0, delayMs), action };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    get pending() {
      return timers.size;
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
        timers.delete(timer);
        now = timer.due;
        timer.action();
        await settle();
      }
      now = end;
    },
  };
}

/** One turn of the event loop: every promise that can go on has gone on. */
function settle(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
