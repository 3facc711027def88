import { createHash } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  write,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { HostError } from "../errors.ts";
import { type AnchoredFolder, changedPath, folderInsteadOfFile } from "./anchored-folder.ts";
import { toFault } from "./fault.ts";
import { contentVersion, type FileStatus, toStatus } from "./file-status.ts";
import { changedFile, OpenedFile } from "./opened-file.ts";
import { specialPath } from "./path.ts";
import { makeTemporaryName } from "./temporary-name.ts";

const writeSome = promisify(write);

export interface StageOptions {
  /** Permission bits of a new file. @default 0o666 less the process' mask */
  readonly mode?: number;
  readonly signal: AbortSignal;
}

/**
 * New content for one file, on its way: written beside it under a random name, and put in its place by
 * {@link commit} in one step. Until then, and if it is disposed of before, nothing has changed and nothing is left.
 */
export class StagedWrite implements Disposable {
  /** Canonical. */
  readonly path: string;
  /** The file that will be replaced; undefined where there is none. Closed with the stage. */
  readonly former: OpenedFile | undefined;
  /** Folders that had to be made for the file, outermost first; they go again if it is not committed. */
  readonly madeFolders: readonly string[];
  readonly #folder: AnchoredFolder;
  readonly #name: string;
  readonly #temporary = makeTemporaryName();
  readonly #signal: AbortSignal;
  readonly #hash = createHash("sha256");
  #digest: string | undefined;
  #descriptor: number | undefined;
  #written = 0;
  #staged = true;

  constructor(
    place: { folder: AnchoredFolder; name: string; madeFolders: readonly string[] },
    options: StageOptions,
  ) {
    this.#folder = place.folder;
    this.#name = place.name;
    this.madeFolders = place.madeFolders;
    this.path = join(place.folder.path, place.name);
    this.#signal = options.signal;
    try {
      this.former = openFormer(this.#folder, this.#name);
      this.#descriptor = openSync(
        this.#folder.at(this.#temporary),
        constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
        this.former === undefined ? (options.mode ?? 0o666) : 0o600,
      );
      if (this.former !== undefined) this.#takeOver(this.former);
      else if (options.mode !== undefined) fchmodSync(this.#descriptor, options.mode);
    } catch (error) {
      this[Symbol.dispose]();
      throw toFault(error, "write", this.path);
    }
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#written;
  }

  /** SHA-256 of what was written, in hex; ends the writing. */
  get hash(): string {
    this.#digest ??= this.#hash.digest("hex");
    return this.#digest;
  }

  /** Appends; `bytes` must stay as they are until the promise settles. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#signal.throwIfAborted();
    const writing = this.#writeAll(bytes);
    // While the disk works: the digest costs as much as the writing.
    this.#hash.update(bytes);
    await writing;
  }

  /** Puts the new content in place. Throws FILE_CHANGED if the file is no longer the one that was there at the start. */
  commit({ durable = false }: { readonly durable?: boolean } = {}): FileStatus {
    this.#signal.throwIfAborted();
    const descriptor = this.#descriptor as number;
    try {
      this.#checkFormer();
      if (durable) fsyncSync(descriptor);
      closeSync(descriptor);
      this.#descriptor = undefined;
      this.#folder.verify();
      renameSync(this.#folder.at(this.#temporary), this.#folder.at(this.#name));
      this.#staged = false;
      if (durable) syncFolder(this.#folder);
      return toStatus(lstatSync(this.#folder.at(this.#name), { bigint: true }));
    } catch (error) {
      throw toFault(error, "write", this.path);
    } finally {
      this[Symbol.dispose]();
    }
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    if (this.#staged) {
      this.#staged = false;
      ignoreFault(() => unlinkSync(this.#folder.at(this.#temporary)));
      for (const made of this.madeFolders.toReversed()) ignoreFault(() => rmdirSync(made));
    }
    this.former?.[Symbol.dispose]();
    this.#folder[Symbol.dispose]();
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await writeSome(
          this.#descriptor as number,
          bytes,
          done,
          bytes.length - done,
        );
        done += bytesWritten;
        this.#written += bytesWritten;
      }
    } catch (error) {
      throw toFault(error, "write", this.path);
    }
  }

  /** The new file gets the permissions and, where the system lets us, the owner of the old one. */
  #takeOver(former: OpenedFile): void {
    const descriptor = this.#descriptor as number;
    const { uid, gid } = former.owner;
    if (uid !== process.getuid?.() || gid !== process.getgid?.()) {
      ignoreFault(() => fchownSync(descriptor, uid, gid));
    }
    fchmodSync(descriptor, former.status.mode);
  }

  #checkFormer(): void {
    const now = lstatSync(this.#folder.at(this.#name), { bigint: true, throwIfNoEntry: false });
    if (this.former === undefined) {
      if (now === undefined) return;
      throw new HostError(
        "FILE_EXISTS",
        `Cannot create "${this.path}": somebody made it meanwhile; read it first`,
      );
    }
    if (now === undefined || contentVersion(now) !== this.former.contentVersion) throw changedFile(this.path);
  }
}

function openFormer(folder: AnchoredFolder, name: string): OpenedFile | undefined {
  const path = join(folder.path, name);
  const status = folder.status(name);
  if (status === undefined) return undefined;
  if (status.isSymbolicLink()) throw changedPath(path);
  if (status.isDirectory()) throw folderInsteadOfFile(path);
  if (!status.isFile()) throw specialPath(path, path);
  // A rename would replace a file that its owner made read-only; nobody expects that of writing.
  accessSync(folder.at(name), constants.W_OK);
  return new OpenedFile(path, folder.openFile(name, constants.O_RDONLY));
}

function syncFolder(folder: AnchoredFolder): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder.self, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function ignoreFault(action: () => void): void {
  try {
    action();
  } catch {
    // It is gone already, or was never made; nothing depends on it.
  }
}
