import { homedir } from "node:os";
import { sep } from "node:path";

/** A path below the user's folder as people write it. */
export function shownPath(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path;
}
