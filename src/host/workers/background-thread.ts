import { constants, getPriority, setPriority } from "node:os";

/**
 * Lowers the priority of the calling thread below all others of the process. Only Linux has priorities of threads;
 * elsewhere nothing changes.
 */
export function runInBackground(): void {
  if (process.platform !== "linux") return;
  try {
    const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
    setPriority(Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
  } catch {} // A system that refuses has it run as before.
}
