import { type Dirent, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { FolderSearch, listEntries, type Sight } from "./folder-search.ts";
import { contains, readStats } from "./places.ts";

/*
 * Root stays root in the sandbox, without its capabilities: it may read what is root's own. So what root keeps from all
 * others is looked for, and hidden from commands too.
 */

/** The folders in which programs keep data and settings. What could not be looked through in time is hidden as well. */
const dataFolders = ["/etc", "/var", "/srv", "/usr/local/etc"];
/** The folder of whole installations, often larger than can be looked through: what is left over stays as it is. */
const programFolders = ["/opt"];
/** Temporary folders have walls of their own; the others are what a distribution published, in many files. */
const passed = [
  "/lost+found",
  "/var/tmp",
  "/var/run",
  "/var/lock",
  "/etc/alternatives",
  "/etc/ssl/certs",
  "/var/lib/dpkg/info",
];
const mostFolders = 4000;
/** The most that is closed one by one in a folder; with more, the whole folder is closed: each is a mount, and their cost grows with their square. */
const mostInOne = 16;

const search = new FolderSearch({ look, mostFolders });

export interface Shown {
  /** The folders in which a command works: whatever stands in there is shown as it is. */
  readonly atWork: readonly string[];
  readonly asked: readonly string[];
  /** Folders of programs, whose installation stands around them. */
  readonly programs: readonly string[];
}

/**
 * Files and folders that root alone may read: those around what is shown, and the rest. None for other users: what they
 * may read is theirs. Takes about 60 ms at first, and 5 ms after ten seconds.
 */
export function closedAround({ atWork, asked, programs }: Shown): {
  readonly around: readonly string[];
  readonly apart: readonly string[];
} {
  if (process.getuid?.() !== 0) return { around: [], apart: [] };
  const closed = findClosed().filter(
    (path) =>
      !atWork.some((one) => one !== "/" && contains(one, path)) &&
      !programs.some((folder) => contains(path, folder)),
  );
  const isAround = (path: string) => [...atWork, ...asked].some((one) => one !== path && contains(path, one));
  return { around: closed.filter(isAround), apart: closed.filter((path) => !isAround(path)) };
}

function findClosed(): string[] {
  const data = dataFolders.map((root) => search.search(root));
  const found = [
    ...listEntries("/").flatMap((entry) => {
      const path = join("/", entry.name);
      return look(path, entry) === "found" ? [path] : [];
    }),
    ...data.flatMap((one) => one.found),
    ...programFolders.flatMap((root) => search.search(root).found),
  ];
  return [...byFolder(found), ...data.flatMap(({ missed }) => missed)];
}

function look(path: string, entry: Dirent): Sight {
  if (passed.includes(path)) return "pass";
  if (entry.isDirectory()) return mayEnter(path) ? "enter" : "found";
  if (!entry.isFile()) return "pass";
  const stats = readStats(path);
  return stats !== undefined && stats.size > 0 && !(stats.mode & 0o004) && isRoots(stats) ? "found" : "pass";
}

function mayEnter(path: string): boolean {
  const stats = readStats(path);
  return stats === undefined || (stats.mode & 0o001) !== 0 || !isRoots(stats);
}

/** Whether root may open it as what it is, without any capability. */
function isRoots({ uid, gid, mode }: Stats): boolean {
  return uid === 0 || ((mode & 0o040) !== 0 && (process.getgroups?.() ?? []).includes(gid));
}

function byFolder(paths: readonly string[]): string[] {
  const groups = Object.entries(Object.groupBy(paths, dirname));
  return groups.flatMap(([folder, found = []]) =>
    found.length > mostInOne && !isRootFolder(folder) ? [folder] : found,
  );
}

function isRootFolder(folder: string): boolean {
  return folder === "/" || [...dataFolders, ...programFolders].includes(folder);
}
