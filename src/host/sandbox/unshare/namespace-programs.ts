import { lookForProgram } from "../find-program.ts";
import { ownSearchPath } from "../program-search.ts";
import { canUnshare, type UnsharePrograms } from "./unshare.ts";

/** A level at which a command runs in namespaces of its own, with the programs that set them up. */
export type NamespacePrograms =
  | { readonly level: "bubblewrap"; readonly program: string }
  | ({ readonly level: "unshare" } & UnsharePrograms);

export interface Fault {
  readonly fault: string;
  readonly remedy?: string;
}

export const installIt: string =
  'install bubblewrap (`haft doctor --fix` offers it; Debian and Ubuntu: "apt install bubblewrap", Fedora: "dnf install bubblewrap")';

/** Looks on the `PATH` for the programs of a level. @param bubblewrap the name or path of that program */
export function findPrograms(
  level: NamespacePrograms["level"],
  bubblewrap: string,
): NamespacePrograms | Fault {
  if (process.platform !== "linux") return { fault: `${level} is for Linux, this is ${process.platform}` };
  const path = ownSearchPath();
  if (level === "bubblewrap") {
    const program = lookForProgram(bubblewrap, path);
    return program === undefined
      ? { fault: "bubblewrap is not installed", remedy: installIt }
      : { level, program };
  }
  if (!canUnshare)
    return { fault: `the system calls of ${process.arch}, which unshare needs, are not known` };
  const [program, perl] = ["unshare", "perl"].map((name) => lookForProgram(name, path));
  if (program === undefined) return { fault: "unshare (of util-linux) is not installed" };
  if (perl === undefined) return { fault: "perl, which unshare needs, is not installed" };
  return { level, program, perl };
}
