import { randomBytes } from "node:crypto";
import { constants, linkSync, lstatSync, mkdirSync, readdirSync, unlinkSync } from "node:fs";
import { copyFile, cp, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { formatBytes } from "../../base/index.ts";
import { HostError } from "../errors.ts";
import { AnchoredFolder } from "./anchored-folder.ts";
import { systemCode, toFault } from "./fault.ts";
import { changedFile, type OpenedFile } from "./opened-file.ts";
import { measureTree } from "./tree-size.ts";

/** How much an undo folder keeps, and for how long. */
export interface UndoFolderOptions {
  /** What it may hold; the oldest goes first. @default 5 GiB */
  readonly maxBytes?: number;
  /** @default 30 days */
  readonly maxAgeMs?: number;
}

/** What an undo folder keeps, as a value that can be stored. */
export interface KeptEntry {
  /** Its name in the undo folder. */
  readonly name: string;
  /** Tells whether somebody changed what is kept: it may share its content with other names. */
  readonly version: string;
}

const day = 24 * 60 * 60 * 1000;
/** Looking for what is too old costs a listing; once in so many entries is enough. */
const pruneEvery = 100;

/**
 * Keeps former files for undo at next to no cost: a file that is replaced gets a second name here instead of a copy,
 * which takes as long for 50 MB as for 5, and a deleted folder moves here as it is. On another file system, or where
 * the content has more names than one, it is copied.
 *
 * @example
 * ```ts
 * const undo = new UndoFolder("/home/ada/.haft/undo", { maxBytes: 1_000_000 });
 * undo.path; // → "/home/ada/.haft/undo"
 * ```
 */
export class UndoFolder {
  readonly path: string;
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  #kept = 0;

  constructor(path: string, options: UndoFolderOptions = {}) {
    this.path = path;
    this.#maxBytes = options.maxBytes ?? 5 * 1024 ** 3;
    this.#maxAgeMs = options.maxAgeMs ?? 30 * day;
  }

  /** Keeps the content of an open file, as it is now. */
  async keepFile(file: OpenedFile): Promise<KeptEntry> {
    const name = this.#reserve();
    const kept = join(this.path, name);
    try {
      if (file.status.links > 1 || !linkTo(file, kept)) {
        await copyFile(nameSource(file), kept, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      }
      if (!file.isUnchanged()) throw changedFile(file.path);
    } catch (error) {
      await rm(kept, { force: true });
      throw toFault(error, "keep a copy for undo of", file.path);
    }
    return { name, version: toVersion(kept) };
  }

  /** A name under which {@link takeFolder} will keep a folder: it can be recorded before. */
  reserveFolder(): string {
    return this.#reserve();
  }

  /** Moves a folder, whatever it holds, to the reserved name. */
  async takeFolder(path: string, name: string, signal: AbortSignal): Promise<void> {
    using folder = AnchoredFolder.open(dirname(path));
    const from = folder.at(basename(path));
    const kept = join(this.path, name);
    try {
      await rename(from, kept);
    } catch (error) {
      if (systemCode(error) !== "EXDEV") throw toFault(error, "delete", path);
      await this.#copyFolder(from, kept, path, signal);
      await rm(from, { recursive: true });
    }
  }

  /** The path of a kept entry. Throws FILE_NOT_FOUND if it is gone, FILE_CHANGED if it is no longer what was kept. */
  find(entry: KeptEntry | { readonly name: string; readonly version?: undefined }): string {
    const kept = join(this.path, basename(entry.name));
    if (lstatSync(kept, { throwIfNoEntry: false }) === undefined) {
      throw new HostError(
        "FILE_NOT_FOUND",
        `Cannot restore "${entry.name}": the former content is kept no longer; undo is possible for ${Math.round(this.#maxAgeMs / day)} days and ${formatBytes(this.#maxBytes)}`,
      );
    }
    if (entry.version !== undefined && toVersion(kept) !== entry.version) throw changedFile(kept);
    return kept;
  }

  #reserve(): string {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    if (this.#kept++ % pruneEvery === 0) this.#prune();
    return `${Date.now()}-${randomBytes(8).toString("hex")}`;
  }

  async #copyFolder(from: string, kept: string, path: string, signal: AbortSignal): Promise<void> {
    const { bytes } = measureTree(from, signal);
    if (bytes > this.#maxBytes) {
      throw new HostError(
        "FOLDER_TOO_LARGE",
        `Cannot delete "${path}" so that it can be undone: it holds ${formatBytes(bytes)} on another file system, and ${formatBytes(this.#maxBytes)} can be kept; delete it with a command`,
      );
    }
    try {
      await cp(from, kept, {
        recursive: true,
        preserveTimestamps: true,
        verbatimSymlinks: true,
        errorOnExist: true,
      });
    } catch (error) {
      await rm(kept, { recursive: true, force: true });
      throw toFault(error, "keep a copy for undo of", path);
    }
  }

  /** Removes what is too old, and the oldest of what is too much. */
  #prune(): void {
    const now = Date.now();
    let bytes = 0;
    for (const name of readdirSync(this.path).sort().reverse()) {
      const at = Number.parseInt(name, 10);
      if (!Number.isFinite(at)) continue;
      const kept = join(this.path, name);
      const status = lstatSync(kept, { throwIfNoEntry: false });
      if (status === undefined) continue;
      bytes += status.isDirectory() ? measureTree(kept, neverAborted).bytes : status.size;
      if (now - at > this.#maxAgeMs || bytes > this.#maxBytes)
        void rm(kept, { recursive: true, force: true }).catch(() => {});
    }
  }
}

const neverAborted = new AbortController().signal;

/** Gives the file a second name; false where the file system will not. */
function linkTo(file: OpenedFile, kept: string): boolean {
  using folder = AnchoredFolder.open(dirname(file.path));
  try {
    linkSync(folder.at(basename(file.path)), kept);
  } catch (error) {
    if (systemCode(error) !== undefined) return false;
    throw error;
  }
  if (lstatSync(kept, { bigint: true }).ino === file.inode) return true;
  unlinkSync(kept);
  throw changedFile(file.path);
}

function nameSource(file: OpenedFile): string {
  return process.platform === "linux" ? `/proc/self/fd/${file.descriptor}` : file.path;
}

function toVersion(kept: string): string {
  const { ino, size, mtimeNs } = lstatSync(kept, { bigint: true });
  return `${ino}:${size}:${mtimeNs}`;
}
