import { readFileSync } from "node:fs";
import { cookieName } from "./tree.ts";

/** A chain of parents longer than this is no chain. */
const mostParents = 100;

/**
 * Whether this process was started by a tool: it, or on Linux any process above it, carries the mark that commands
 * get. A process that gave up both its environment and its parents is not known for what it is; in a sandbox it sees
 * nothing of haft's.
 */
export function isStartedByTool(): boolean {
  if (process.env[cookieName] !== undefined) return true;
  let pid = process.ppid;
  for (let parents = 0; pid > 1 && parents < mostParents; parents++) {
    const environment = read(`/proc/${pid}/environ`);
    if (environment?.split("\0").some((entry) => entry.startsWith(`${cookieName}=`))) return true;
    const status = read(`/proc/${pid}/stat`);
    if (status === undefined) return false;
    // The name stands in parentheses and may contain anything.
    pid = Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]);
  }
  return false;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
