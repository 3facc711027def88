/** Time, as a port: tests move it by hand. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Calls `action` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, action: () => void): () => void;
}

/** Node takes a longer delay for none at all. */
const longestDelayMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, action) {
    const delay = Math.min(delayMs, longestDelayMs);
    if (delay >= shortestHeldMs && !heldDelays.has(delay)) holdList(delay);
    const timer = setTimeout(action, delay);
    return () => clearTimeout(timer);
  },
};

/** Resolves after a time, or at once when the signal is aborted. */
export function pause(clock: Pick<Clock, "after">, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted === true) end();
  });
}

/** Delays for which an idle timer keeps Node's list of timers. */
const heldDelays = new Set<number>();
const mostHeld = 16;
const shortestHeldMs = 1000;

/**
 * Node keeps one list of timers for each delay, and drops it with its last timer. Deadlines use few delays, and most
 * are cleared at once, so an idle timer keeps the list: making a list costs more than making a timer.
 */
function holdList(delay: number): void {
  if (heldDelays.size === mostHeld) return;
  const holder: unknown = setTimeout(() => heldDelays.delete(delay), delay);
  heldDelays.add(delay);
  if (canUnref(holder)) holder.unref();
}

/** A timer of Node that does not keep the process running. */
function canUnref(timer: unknown): timer is { unref(): unknown } {
  return typeof timer === "object" && timer !== null && "unref" in timer;
}
