import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import { readStats } from "../places.ts";
import { type GitSetting, mayRunCode, parseGitConfig, withoutSettings } from "./git-config.ts";

/** Something in a repository by which git, used there, starts what it names, or reads settings elsewhere. */
export interface GitDoor {
  /** The same for the same thing with the same content. */
  readonly id: string;
  /** The entry of git's folder that it is in; `.git` itself, of the folder around it, where nobody can tell where that leads. */
  readonly entry: "hooks" | "config" | "config.worktree" | "commondir" | ".git";
  /** The name, for people. */
  readonly name: string;
  /** When it was last changed, in Unix ms; no program can set that back. */
  readonly changedAt: number;
}

/** Larger settings are nobody's. */
const mostBytes = 1024 * 1024;

/** The doors of a git folder. */
export function findDoors(git: string, isWritable: IsWritable): GitDoor[] {
  return [
    ...hookDoors(git),
    ...settingDoors(git, "config", isWritable),
    ...settingDoors(git, "config.worktree", isWritable),
    ...commonDoors(git, isWritable),
  ];
}

/** Whether commands may write there. */
export type IsWritable = (path: string) => boolean;

/** The door that a folder's `.git` itself is. */
export function pointerDoors(folder: string): GitDoor[] {
  const stats = readStats(join(folder, ".git"));
  return stats === undefined
    ? []
    : [{ id: `.git ${sign(stats)}`, entry: ".git", name: ".git", changedAt: stats.ctimeMs }];
}

/** The folder that a git folder says it has most of its things in; undefined where it has them itself, or in none. */
export function findCommonFolder(git: string): string | undefined {
  const text = pathIn(readPlain(join(git, "commondir")));
  return text === undefined ? undefined : follow(git, text);
}

/** A path that is all there is in a file of git's, or behind a prefix. Undefined where git may read another one. */
export function pathIn(bytes: Buffer | undefined, prefix = ""): string | undefined {
  if (bytes === undefined || !isUtf8(bytes) || bytes.includes(0)) return undefined;
  const text = bytes.toString();
  // Nothing but line breaks is cut off.
  return text.startsWith(prefix) ? text.slice(prefix.length).replace(/[\n\r]+$/, "") : undefined;
}

/** The path that the kernel arrives at: after a link, `..` is the folder above the link's target. */
export function follow(from: string, path: string): string | undefined {
  try {
    return realpathSync.native(isAbsolute(path) ? path : `${from}/${path}`);
  } catch {
    return undefined;
  }
}

function hookDoors(git: string): GitDoor[] {
  const folder = join(git, "hooks");
  const stats = readStats(folder);
  if (stats === undefined) return [];
  if (!stats.isDirectory())
    return [{ id: `hooks ${sign(stats)}`, entry: "hooks", name: "hooks", changedAt: stats.ctimeMs }];
  return namesIn(folder).flatMap((name): GitDoor[] => {
    const hook = readStats(join(folder, name));
    if (hook === undefined || hook.isDirectory() || name.endsWith(".sample")) return [];
    if (!hook.isSymbolicLink() && (hook.mode & 0o111) === 0) return [];
    return [
      { id: `hooks/${name} ${sign(hook)}`, entry: "hooks", name: `hooks/${name}`, changedAt: hook.ctimeMs },
    ];
  });
}

function settingDoors(git: string, entry: "config" | "config.worktree", isWritable: IsWritable): GitDoor[] {
  const path = join(git, entry);
  const stats = readStats(path);
  if (stats === undefined) return [];
  const text = readPlain(path)?.toString();
  const changedAt = stats.ctimeMs;
  if (text === undefined) return [{ id: `${entry} ${sign(stats)}`, entry, name: entry, changedAt }];
  return openSettings(text, git, isWritable).map((setting) => ({
    id: toId(setting),
    entry,
    name: setting.name || "a line that git may read in another way",
    changedAt,
  }));
}

function openSettings(text: string, git: string, isWritable: IsWritable): GitSetting[] {
  return parseGitConfig(text).filter((setting) => {
    // A submodule's says so where its files are.
    if (setting.name === "core.worktree") return !isWritable(follow(git, setting.value) ?? "/");
    return mayRunCode(setting);
  });
}

function toId({ name, heading, raw }: GitSetting): string {
  return `${name}\n${heading}\n${raw}`;
}

/** The doors of a linked worktree's folder, where git writes the same everywhere. */
function commonDoors(git: string, isWritable: IsWritable): GitDoor[] {
  const stats = readStats(join(git, "commondir"));
  if (stats === undefined) return [];
  const common = findCommonFolder(git);
  if (
    common === git ||
    (common !== undefined && isWritable(common) && git.startsWith(`${common}/worktrees/`))
  )
    return [];
  return [
    { id: `commondir ${sign(stats)}`, entry: "commondir", name: "commondir", changedAt: stats.ctimeMs },
  ];
}

/**
 * Renames the entries that have these doors, so that git does not find them; settings that open nothing stay in force.
 * Returns the new names.
 *
 * The folder is opened first: should a command that still runs exchange it for a link, nothing elsewhere is touched.
 */
export function setAside(git: string, doors: readonly GitDoor[]): string[] {
  const fd = openSync(git, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const folder = `/proc/self/fd/${fd}`;
  try {
    if (readlinkSync(folder) !== git) throw new Error(`"${git}" is elsewhere now`);
    return Array.from(new Set(doors.map(({ entry }) => entry)), (entry) => {
      const kept = entry.startsWith("config") ? remainder(join(folder, entry), doors) : undefined;
      const name = freeName(folder, entry);
      renameSync(join(folder, entry), join(folder, name));
      if (kept !== undefined) writeFileSync(join(folder, entry), kept, { flag: "wx" });
      return name;
    });
  } finally {
    closeSync(fd);
  }
}

function remainder(path: string, doors: readonly GitDoor[]): string | undefined {
  const text = readPlain(path)?.toString();
  if (text === undefined) return undefined;
  const ids = new Set(doors.map(({ id }) => id));
  const settings = parseGitConfig(text);
  return withoutSettings(settings, new Set(settings.filter((one) => one.name === "" || ids.has(toId(one)))));
}

function freeName(folder: string, entry: string): string {
  for (let count = 1; ; count++) {
    const name = `${entry}.set-aside${count === 1 ? "" : `-${count}`}`;
    if (!existsSync(join(folder, name))) return name;
  }
}

/** A plain file's bytes; undefined for anything else, and for what is too large. */
export function readPlain(
  path: string,
  { most = mostBytes, followLink = false }: { readonly most?: number; readonly followLink?: boolean } = {},
): Buffer | undefined {
  let fd: number | undefined;
  try {
    const nofollow = followLink ? 0 : constants.O_NOFOLLOW;
    fd = openSync(path, constants.O_RDONLY | nofollow | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= most ? readFileSync(fd) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function sign({ dev, ino, ctimeMs }: Stats): string {
  return `${dev} ${ino} ${ctimeMs}`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
