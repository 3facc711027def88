import { homedir } from "node:os";
import { join } from "node:path";

/** A path with `~` or `~/` in front, which stands for the user's home folder; any other as it is. */
export function fromHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
