import { constants, getPriority, setPriority } from "node:os";

/** How long a thread gives way, in ms: the shortest sleep that a system offers. */
const sleepMs = 0.05;
/** Memory that no thread notifies of a change, so that each wait for it is a sleep. */
const unchanged = new Int32Array(new SharedArrayBuffer(4));
let isInBackground = false;

/**
 * Lowers the priority of the calling thread below all others of the process. Only Linux has priorities of threads;
 * elsewhere nothing changes.
 */
export function runInBackground(): void {
  isInBackground = true;
  if (process.platform !== "linux") return;
  try {
    const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
    setPriority(Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
  } catch {} // A system that refuses has it run as before.
}

/**
 * Leaves the processor to threads that wait for it, if the calling thread runs in the background. A thread that runs keeps
 * its processor for milliseconds, whatever its priority, so long work calls this every half millisecond.
 */
export function giveWay(): void {
  if (isInBackground) Atomics.wait(unchanged, 0, 0, sleepMs);
}
