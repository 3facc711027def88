import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Whether a process of this machine has the text on its command line. */
export function isRunning(sign: string): boolean {
  return readdirSync("/proc").some((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(sign);
    } catch {
      return false;
    }
  });
}

/** Whether a process is still there after 5 s: on a busy machine the kernel takes its time to end what was killed. */
export async function outlives(isThere: () => boolean): Promise<boolean> {
  for (let looks = 0; looks < 50; looks++) {
    if (!isThere()) return false;
    await delay(100);
  }
  return true;
}
