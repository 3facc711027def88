import { setTimeout as delay } from "node:timers/promises";

/** Waits until a condition holds, for as long as a busy machine may take. */
export async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    if (tries === 5000) throw new Error("Cannot wait any longer: the condition still does not hold");
    await delay(10);
  }
}
