import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { parse, relative, resolve, sep } from "node:path";
import type { Home } from "../app/index.ts";
import type { Session } from "./session.ts";

/** Folders of the system: nothing in them is anybody's project. */
const systemTrees: readonly string[] =
  process.platform === "win32"
    ? ["C:\\Windows", "C:\\Program Files", "C:\\Program Files (x86)"]
    : ["/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr"].concat(
        process.platform === "darwin" ? ["/System", "/Library", "/Applications"] : [],
      );
/** Folders of the system that may hold projects, and are none themselves. */
const shared: readonly string[] = ["/mnt", "/media", "/opt", "/private", "/srv", "/tmp", "/var", "/Volumes"];

/** Folder that tools work in when haft was started outside any project. */
export interface NoProject {
  /** An empty folder, in place of the one where haft was started. */
  readonly folder: string;
  /** Sentence that tells a model and a person about it. */
  readonly why: string;
}

/**
 * Finds out whether haft was started outside any project, as by clients that start their servers in the root or in the
 * home folder. Undefined if the folder may be a project, or if the user named it.
 */
export function findNoProject(
  session: Session,
  home: Home,
  command: keyof typeof remedies,
): NoProject | undefined {
  if (session.common.folder !== undefined) return undefined;
  const folder = session.folder();
  const why = whyNoProject(folder);
  if (why === undefined) return undefined;
  return {
    folder: realpathSync(home.makeNoProject()),
    why: `haft was started in ${folder}, which is no project (${why}), so its tools have no folder to work in: relative paths and commands there are refused. ${remedies[command]}`,
  };
}

const remedies = {
  mcp: "A person names the project in the client's configuration, as `haft mcp --folder DIR`.",
  serve: "Name the project with `haft serve --folder DIR`, or several with `haft trust FOLDER --as NAME`.",
} as const;

/** Says why a folder, absolute and without symbolic links, is too wide to work in; undefined where it may be a project. */
export function whyNoProject(folder: string): string | undefined {
  if (folder === parse(folder).root) return "it is the whole disk";
  const home = canonical(homedir());
  if (folder === home) return "it is the whole home folder";
  const isSystem =
    shared.some((one) => folder === canonical(one)) ||
    systemTrees.some((tree) => isWithin(folder, canonical(tree)));
  if (isSystem) return "it belongs to the system";
  return isWithin(home, folder) ? "it holds the home folder" : undefined;
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && resolve(folder, way) === path);
}

function canonical(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
