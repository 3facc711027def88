import { existsSync, lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** An empty, `.` or `..` step of a path: the meaning of such a path can't be read off its text. */
const odd = sep === "/" ? /(?:^|\/)\.{0,2}(?:\/|$)/ : /^/;

/** Whether `path` is `folder` or lies in it. Both canonical. */
export function contains(folder: string, path: string): boolean {
  if (isPlain(folder) && isPlain(path) && isAbsolute(folder) === isAbsolute(path))
    return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === "/");
  const step = relative(folder, path);
  return step === "" || (step !== ".." && !step.startsWith(`..${sep}`) && !isAbsolute(step));
}

/** Whether a path is written without detours. */
function isPlain(path: string): boolean {
  return !odd.test(path[0] === "/" ? path.slice(1) : path);
}

// The system's own is several times as fast; elsewhere than on Linux it may write a path in another case.
const followLinks = process.platform === "linux" ? realpathSync.native : realpathSync;

/** The path with all links followed; undefined if nothing is there. */
export function canonical(path: string): string | undefined {
  try {
    // Node makes an error of what is missing, which takes longer than to look first.
    return existsSync(path) ? followLinks(path) : undefined;
  } catch {
    return undefined;
  }
}

/** What stands at the path itself, no link followed; undefined if nothing does, or it can't be looked at. */
export function readStats(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Does what `canonical` does, for what does not exist yet too: the part that exists is followed. */
export function canonicalPlace(path: string): string {
  const found = canonical(path);
  if (found !== undefined) return found;
  const parent = dirname(path);
  return parent === path ? path : join(canonicalPlace(parent), path.slice(parent.length).replace(/^\/+/, ""));
}

/** The path, or the first folder above it that exists; canonical. */
export function nearestExisting(path: string): string {
  return canonical(path) ?? nearestExisting(dirname(path));
}

/** What exists, canonical, without what lies in another of them. */
export function outermost(paths: readonly string[]): string[] {
  const found = new Set(paths.flatMap((path) => canonical(path) ?? []));
  return Array.from(found).filter(
    (path) => !Array.from(found).some((other) => other !== path && contains(other, path)),
  );
}

/** Without what lies in another of them. As they are written: nothing is looked at. */
export function withoutNested(paths: Iterable<string>): string[] {
  const all = Array.from(new Set(paths));
  return all.filter((path) => !all.some((other) => other !== path && contains(other, path)));
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Whether the path is an empty file, and no link. */
export function isEmptyFile(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === 0;
}

export type EntryKind = "file" | "folder" | "link" | "nothing";

/** What stands at a path itself, no link followed. */
export function kindAt(path: string): EntryKind {
  const stats = readStats(path);
  if (stats === undefined) return "nothing";
  return stats.isSymbolicLink() ? "link" : stats.isDirectory() ? "folder" : "file";
}
