import { isUtf8 } from "node:buffer";
import { closeSync, constants, lstatSync, opendirSync, openSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { AnchoredFolder } from "../anchored-folder.ts";
import { toFault } from "../fault.ts";
import { type EntryType, findFileType } from "../file-status.ts";

/** One entry of a listing. */
export interface FolderEntry {
  /** The path from the listed folder, with "/" between names. Bytes that are not UTF-8 are written `\xHH`. */
  readonly path: string;
  readonly type: EntryType;
  /** Bytes; 0 for what is not a file. */
  readonly size: number;
  /** Unix ms. */
  readonly modifiedAt: number;
  /** The name is not UTF-8: no tool can be given it. */
  readonly unnameable?: true;
  /** A folder that a recursive listing did not enter: dependencies, version control, haft's own, or unreadable. */
  readonly notEntered?: true;
}

/** What is in a folder, as far as it was listed. */
export interface FolderListing {
  /** The entries in the order of their paths. */
  readonly entries: readonly FolderEntry[];
  /** There are more than `limit`. */
  readonly truncated: boolean;
}

/** How far to list; `limit` counts the entries of all folders together. */
export interface ListOptions {
  readonly recursive: boolean;
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Which entries to list; all are entered. */
  readonly matches?: (path: string) => boolean;
  /** Folders, by their canonical path, that are not entered. */
  readonly hides?: (path: string) => boolean;
}

/** Folders whose content nobody lists on purpose together with what surrounds them. */
const neverEntered = new Set([".git", "node_modules"]);

/** Lists a folder; links are shown, never followed. */
export async function listFolder(path: string, options: ListOptions): Promise<FolderListing> {
  const entries: FolderEntry[] = [];
  const pending = [{ path, prefix: "" }];
  let truncated = false;
  for (let next = pending.shift(); next !== undefined && !truncated; next = pending.shift()) {
    options.signal.throwIfAborted();
    const { prefix } = next;
    for (const entry of readEntries(next.path, prefix, entries)) {
      const enters = options.recursive && entry.type === "folder" && entry.unnameable === undefined;
      const name = entry.path.slice(prefix.length);
      const skipped = enters && (neverEntered.has(name) || options.hides?.(join(next.path, name)) === true);
      if (enters && !skipped) pending.push({ path: join(next.path, name), prefix: `${entry.path}/` });
      if (options.matches !== undefined && !options.matches(entry.path)) continue;
      if (entries.length >= options.limit) {
        truncated = true;
        break;
      }
      entries.push(skipped ? { ...entry, notEntered: true } : entry);
    }
    await setImmediate();
  }
  return { entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)), truncated };
}

function* readEntries(
  path: string,
  prefix: string,
  entries: FolderEntry[],
): Generator<FolderEntry, void, void> {
  let folder: AnchoredFolder;
  try {
    folder = AnchoredFolder.open(path);
    checkReadable(folder);
  } catch (error) {
    if (prefix === "") throw toFault(error, "list", path);
    markNotEntered(prefix.slice(0, -1), entries);
    return;
  }
  using held = folder;
  // The name comes as bytes: Node would spell those that are not UTF-8 in a way that no file has.
  const handle = opendirSync(held.self, { encoding: "buffer" as BufferEncoding });
  try {
    for (let entry = handle.readSync(); entry !== null; entry = handle.readSync()) {
      const found = describeEntry(held, entry.name as unknown as Buffer, prefix);
      if (found !== undefined) yield found;
    }
  } finally {
    handle.closeSync();
  }
}

function checkReadable(folder: AnchoredFolder): void {
  closeSync(openSync(folder.self, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)));
}

function markNotEntered(path: string, entries: FolderEntry[]): void {
  const at = entries.findIndex((entry) => entry.path === path);
  const entry = entries[at];
  if (entry !== undefined) entries[at] = { ...entry, notEntered: true };
}

function describeEntry(folder: AnchoredFolder, name: Buffer, prefix: string): FolderEntry | undefined {
  const nameable = isUtf8(name);
  const reach = nameable ? folder.at(name.toString()) : Buffer.concat([Buffer.from(`${folder.self}/`), name]);
  const stats = lstatSync(reach, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const type = findFileType(stats);
  return {
    path: prefix + (nameable ? name.toString() : showBytes(name)),
    type,
    size: type === "file" ? stats.size : 0,
    modifiedAt: Math.floor(stats.mtimeMs),
    ...(!nameable && { unnameable: true }),
  };
}

/** Some names in a folder, at most a thousand; none where it can't be read. */
export function namesIn(path: string): string[] {
  try {
    using folder = AnchoredFolder.open(path);
    const handle = opendirSync(folder.self);
    const names: string[] = [];
    for (let entry = handle.readSync(); entry !== null && names.length < 1000; entry = handle.readSync())
      names.push(entry.name);
    handle.closeSync();
    return names;
  } catch {
    return [];
  }
}

/** A name that is not UTF-8, for the eye: `caf\xE9.txt`. */
export function showBytes(name: Uint8Array): string {
  return Array.from(name, (byte) =>
    byte >= 0x20 && byte < 0x7f
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).toUpperCase().padStart(2, "0")}`,
  ).join("");
}
