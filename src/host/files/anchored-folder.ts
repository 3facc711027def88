import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { HostError } from "../errors.ts";
import { systemCode, toFault } from "./fault.ts";
import { specialPath } from "./path.ts";

/** Linux: a descriptor that stands for a place, without the right to read it. Node does not name it. */
const openPath = 0o10000000;
const descriptors = "/proc/self/fd";
const anchors = process.platform === "linux" && existsSync(descriptors);

/**
 * A folder held fast: whatever is renamed, removed or linked meanwhile, {@link at} reaches the entries of this very
 * folder. Where the system has no such descriptors, the place is checked after each step instead.
 */
export class AnchoredFolder implements Disposable {
  /** Canonical. */
  readonly path: string;
  readonly #descriptor: number | undefined;
  #closed = false;

  private constructor(path: string, descriptor: number | undefined) {
    this.path = path;
    this.#descriptor = descriptor;
  }

  /** @param path canonical. Throws PATH_CHANGED where it leads elsewhere by now. */
  static open(path: string): AnchoredFolder {
    if (!anchors) {
      checkPlace(path);
      return new AnchoredFolder(path, undefined);
    }
    const descriptor = openFolder(path);
    try {
      if (readlinkSync(`${descriptors}/${descriptor}`) !== path) throw changedPath(path);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    return new AnchoredFolder(path, descriptor);
  }

  /** The path to use for an entry of this folder. */
  at(name: string): string {
    return this.#descriptor === undefined
      ? join(this.path, name)
      : `${descriptors}/${this.#descriptor}/${name}`;
  }

  /** The path to use for the folder itself. */
  get self(): string {
    return this.#descriptor === undefined ? this.path : `${descriptors}/${this.#descriptor}`;
  }

  /** Called right before a change: where nothing holds the folder fast, a look is the best there is. */
  verify(): void {
    if (this.#descriptor === undefined) checkPlace(this.path);
  }

  status(name: string): Stats | undefined {
    return lstatSync(this.at(name), { throwIfNoEntry: false });
  }

  /** Opens a regular file of this folder; never follows a link and never waits for a pipe. */
  openFile(name: string, flags: number): number {
    const full = join(this.path, name);
    const before = lstatSync(this.at(name));
    if (before.isSymbolicLink()) throw changedPath(full);
    if (before.isDirectory()) throw folderInsteadOfFile(full);
    if (!before.isFile()) throw specialPath(full, full);
    const descriptor = openSync(this.at(name), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const after = fstatSync(descriptor);
      if (!after.isFile()) throw specialPath(full, full);
      if (this.#descriptor === undefined) {
        checkPlace(this.path);
        if (after.ino !== lstatSync(full).ino) throw changedPath(full);
      }
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    return descriptor;
  }

  [Symbol.dispose](): void {
    if (this.#closed || this.#descriptor === undefined) return;
    this.#closed = true;
    closeSync(this.#descriptor);
  }
}

/** @param path canonical */
export function anchorFolder(path: string, action: string): AnchoredFolder {
  try {
    return AnchoredFolder.open(path);
  } catch (error) {
    throw toFault(error, action, path);
  }
}

/** Anchors the folder that holds `path`, and tells the entry's name. */
export function anchorParent(path: string, action: string): { folder: AnchoredFolder; name: string } {
  const name = entryName(path);
  try {
    return { folder: AnchoredFolder.open(dirname(path)), name };
  } catch (error) {
    throw toFault(error, action, path);
  }
}

/** The last name of a path. Throws FILE_IS_FOLDER for a root, which is an entry of nothing. */
export function entryName(path: string): string {
  const name = basename(path);
  if (name === "") throw folderInsteadOfFile(path);
  return name;
}

export function changedPath(path: string): HostError {
  return new HostError(
    "PATH_CHANGED",
    `Cannot use "${path}": it, or a folder above it, was exchanged for a link or moved while it was used; try again`,
  );
}

export function folderInsteadOfFile(path: string): HostError {
  return new HostError("FILE_IS_FOLDER", `Cannot use "${path}" as a file: it is a folder; name a file in it`);
}

/** A canonical folder that is a link by now is no folder to the system. */
function openFolder(path: string): number {
  try {
    return openSync(path, openPath | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (systemCode(error) === "ENOTDIR" && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw changedPath(path);
    }
    throw error;
  }
}

function checkPlace(path: string): void {
  if (realpathSync.native(path) !== path) throw changedPath(path);
}
