import { constants, getPriority, setPriority } from "node:os";

/** How long a thread gives way, in ms: the shortest that a system sleeps. */
const wayMs = 0.05;
const never = new Int32Array(new SharedArrayBuffer(4));
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
 * its processor for milliseconds, whatever its priority, so that long work calls this every half millisecond.
 */
export function giveWay(): void {
  if (isInBackground) Atomics.wait(never, 0, 0, wayMs);
}
