import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { parse, relative, resolve, sep } from "node:path";

/** Folders of the system: nothing in them is anybody's project. */
const systemTrees: readonly string[] =
  process.platform === "win32"
    ? ["C:\\Windows", "C:\\Program Files", "C:\\Program Files (x86)"]
    : ["/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr"].concat(
        process.platform === "darwin" ? ["/System", "/Library", "/Applications"] : [],
      );
/** Folders of the system that may hold projects, and are none themselves. */
const shared: readonly string[] = ["/mnt", "/media", "/opt", "/private", "/srv", "/tmp", "/var", "/Volumes"];

/** Says why a folder, absolute and without symbolic links, is too wide to work in; undefined where it may be a project. */
export function whyNoProject(folder: string): string | undefined {
  if (folder === parse(folder).root) return "it is the whole disk";
  const home = canonical(homedir());
  if (folder === home) return "it is the whole home folder";
  if (isWithin(home, folder)) return "it holds the home folder";
  const isSystem =
    shared.some((one) => folder === canonical(one)) ||
    systemTrees.some((tree) => isWithin(folder, canonical(tree)));
  return isSystem ? "it belongs to the system" : undefined;
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
