import { constants, getPriority, setPriority } from "node:os";

/**
 * Lets all other threads of the process have the processors before the thread that calls this. Linux alone has priorities
 * of threads; elsewhere nothing changes.
 */
export function runInBackground(): void {
  if (process.platform !== "linux") return;
  try {
    const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
    setPriority(Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
  } catch {} // A system that refuses has it run as before.
}
