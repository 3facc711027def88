import type { Clock } from "../../../base/index.ts";

/** Resolves after `ms`; rejects with the signal's reason as soon as that is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const giveUp = () => {
      endWait();
      reject(signal.reason);
    };
    const endWait = clock.after(ms, () => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    });
    signal.addEventListener("abort", giveUp, { once: true });
  });
}
