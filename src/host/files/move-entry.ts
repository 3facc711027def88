import {
  createReadStream,
  createWriteStream,
  lstatSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
} from "node:fs";
import { chmod, cp, rm, utimes } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { HostError } from "../errors.ts";
import { AnchoredFolder, anchorParent } from "./anchored-folder.ts";
import { systemCode, toFault } from "./fault.ts";
import { makePlace } from "./make-folders.ts";
import { isInside, specialPath } from "./path.ts";
import { makeTemporaryName } from "./temporary-name.ts";

/** What moving did beside the move. */
export interface Moved {
  /** Folders that were made for it, outermost first. */
  readonly madeFolders: readonly string[];
}

/**
 * Moves a file, a link or a folder to where nothing is, also to another file system. Asked for what has been decided
 * already: both paths are canonical.
 */
export async function moveEntry(from: string, to: string, signal: AbortSignal): Promise<Moved> {
  if (from !== to && isInside(from, to)) {
    throw new HostError(
      "PATH_INVALID",
      `Cannot move "${from}" to "${to}": a folder can't go into itself; choose another place`,
    );
  }
  const source = anchorParent(from, "move");
  using sourceFolder = source.folder;
  const status = sourceFolder.status(source.name);
  if (status === undefined) throw toFault(notThere(from), "move", from);
  const target = makePlace(to, "move to");
  using targetFolder = target.folder;
  try {
    checkFree(targetFolder, target.name, to, status);
    const reach = { from: sourceFolder.at(source.name), to: targetFolder.at(target.name) };
    sourceFolder.verify();
    targetFolder.verify();
    try {
      renameSync(reach.from, reach.to);
    } catch (error) {
      if (systemCode(error) !== "EXDEV") throw error;
      await copyAcross(reach, targetFolder, status, from, signal);
      await rm(reach.from, { recursive: true });
    }
    return { madeFolders: target.madeFolders };
  } catch (error) {
    for (const made of target.madeFolders.toReversed()) removeEmptyFolder(made);
    throw toFault(error, "move", from);
  }
}

/** Removes a folder if nothing is in it; returns whether it did. */
export function removeEmptyFolder(path: string): boolean {
  try {
    using folder = AnchoredFolder.open(dirname(path));
    rmdirSync(folder.at(basename(path)));
    return true;
  } catch {
    return false;
  }
}

function notThere(path: string): Error {
  return Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT", syscall: "lstat" });
}

/** Throws FILE_EXISTS if something other than what is moved is at the target. */
export function checkFreeTarget(from: string, to: string): void {
  const source = anchorParent(from, "move");
  using sourceFolder = source.folder;
  const moved = sourceFolder.status(source.name);
  const target = anchorParent(to, "move to");
  using targetFolder = target.folder;
  if (moved !== undefined) checkFree(targetFolder, target.name, to, moved);
}

function checkFree(folder: AnchoredFolder, name: string, to: string, moved: Stats): void {
  const there = folder.status(name);
  // If case does not matter, a new spelling of the same name is there already.
  if (there === undefined || (there.ino === moved.ino && there.dev === moved.dev)) return;
  throw new HostError(
    "FILE_EXISTS",
    `Cannot move to "${to}": something is there already, and moving never overwrites; delete it first, or choose another name`,
    { details: { path: to } },
  );
}

/** Copies beside the target under a random name, then renames: the target is whole or not there. */
async function copyAcross(
  reach: { readonly from: string; readonly to: string },
  folder: AnchoredFolder,
  status: Stats,
  from: string,
  signal: AbortSignal,
): Promise<void> {
  const temporary = folder.at(makeTemporaryName());
  try {
    if (status.isSymbolicLink()) symlinkSync(readlinkSync(reach.from), temporary);
    else if (status.isFile()) await copyFile(reach.from, temporary, status, signal);
    else if (status.isDirectory()) await copyFolder(reach.from, temporary, signal);
    else throw specialPath(from, from);
    signal.throwIfAborted();
    renameSync(temporary, reach.to);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

async function copyFile(from: string, to: string, status: Stats, signal: AbortSignal): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(to, { flags: "wx", mode: 0o600 }), { signal });
  await chmod(to, status.mode);
  await utimes(to, status.atime, status.mtime);
  if (lstatSync(from).mtimeMs !== status.mtimeMs) throw new Error("the file was changed while it was copied");
}

async function copyFolder(from: string, to: string, signal: AbortSignal): Promise<void> {
  await cp(from, to, {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    filter: () => {
      signal.throwIfAborted();
      return true;
    },
  });
}
