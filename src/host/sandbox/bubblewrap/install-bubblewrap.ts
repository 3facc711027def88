import { lookForProgram } from "../find-program.ts";
import { ownSearchPath } from "../program-search.ts";

/** Package managers that have bubblewrap under that name, and what they are told to install it without a question. */
const managers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "apt-get": [
    ["apt-get", "update", "-q"],
    ["apt-get", "install", "-q", "-y", "--no-install-recommends", "bubblewrap"],
  ],
  dnf: [["dnf", "install", "-y", "bubblewrap"]],
  yum: [["yum", "install", "-y", "bubblewrap"]],
  zypper: [["zypper", "--non-interactive", "install", "bubblewrap"]],
  pacman: [["pacman", "-Sy", "--noconfirm", "bubblewrap"]],
  apk: [["apk", "add", "bubblewrap"]],
};

/** A command line: a program and its arguments. */
export type Argv = readonly [program: string, ...args: string[]];

/**
 * The commands that install bubblewrap here, one after the other, with `sudo` for whoever is not root. Empty where it is
 * installed already. Undefined where it can't be: not on Linux, or no known package manager.
 *
 * @param path where programs are looked for. @default where haft looks for its own programs
 */
export function commandsToInstallBubblewrap(
  path: string | undefined = ownSearchPath(),
): readonly Argv[] | undefined {
  if (process.platform !== "linux") return undefined;
  if (lookForProgram("bwrap", path) !== undefined) return [];
  const found = Object.keys(managers).find((name) => lookForProgram(name, path) !== undefined);
  const prefix = process.getuid?.() === 0 ? [] : ["sudo"];
  return found === undefined
    ? undefined
    : managers[found]?.map((argv) => [...prefix, ...argv] as readonly string[] as Argv);
}
