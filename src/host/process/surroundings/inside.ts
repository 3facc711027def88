import { cookieName } from "../tree.ts";
import { listAncestors } from "./ancestors.ts";

/**
 * Whether this process was started by a tool: it, or on Linux any process above it, carries the mark that commands
 * get. A process that gave up both its environment and its parents is not known for what it is; in a sandbox it sees
 * nothing of haft's.
 */
export function isStartedByTool(): boolean {
  return (
    process.env[cookieName] !== undefined ||
    listAncestors().some(({ environment }) => environment[cookieName] !== undefined)
  );
}
