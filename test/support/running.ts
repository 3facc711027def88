import { readdirSync, readFileSync } from "node:fs";

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
