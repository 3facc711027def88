import { homedir } from "node:os";
import { sep } from "node:path";

/** Shortens a path below the user's home folder to start with `~`. */
export function shownPath(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path;
}
