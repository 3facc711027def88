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
    const timer = setTimeout(action, Math.min(delayMs, longestDelayMs));
    return () => clearTimeout(timer);
  },
};
