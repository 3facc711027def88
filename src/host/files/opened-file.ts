import { createHash, hash } from "node:crypto";
import { type BigIntStats, closeSync, constants, fstatSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { HostError } from "../errors.ts";
import { anchorParent } from "./anchored-folder.ts";
import { toFault } from "./fault.ts";
import { contentVersion, type FileStatus, toStatus } from "./file-status.ts";

/** The bytes after which others that wait for this thread get a turn: about 4 ms. */
const turnBytes = 8 * 1024 * 1024;
const chunkBytes = 1024 * 1024;
/** A file below this size is hashed in one piece. */
const smallBytes = 64 * 1024;

/** A regular file, open for reading: its content stays the one that was opened, whatever becomes of its name. */
export class OpenedFile implements Disposable {
  /** Canonical. */
  readonly path: string;
  readonly status: FileStatus;
  readonly #stats: BigIntStats;
  #descriptor: number | undefined;

  constructor(path: string, descriptor: number) {
    this.path = path;
    this.#descriptor = descriptor;
    this.#stats = fstatSync(descriptor, { bigint: true });
    this.status = toStatus(this.#stats);
  }

  get descriptor(): number {
    if (this.#descriptor === undefined) throw new TypeError(`Cannot use "${this.path}": it was closed`);
    return this.#descriptor;
  }

  /** The version of the content, blind to its names and permissions. */
  get contentVersion(): string {
    return contentVersion(this.#stats);
  }

  get inode(): bigint {
    return this.#stats.ino;
  }

  get owner(): { readonly uid: number; readonly gid: number } {
    return { uid: Number(this.#stats.uid), gid: Number(this.#stats.gid) };
  }

  /** Reads from `position` into `into`, fully unless the file ends; returns the bytes read. Blocks. */
  read(into: Uint8Array, position: number): number {
    let filled = 0;
    try {
      while (filled < into.length) {
        const count = readSync(this.descriptor, into, filled, into.length - filled, position + filled);
        if (count === 0) break;
        filled += count;
      }
    } catch (error) {
      throw toFault(error, "read", this.path);
    }
    return filled;
  }

  /** The content in pieces of one reused buffer: use a piece before asking for the next. */
  async *chunks(signal: AbortSignal, from = 0): AsyncGenerator<Uint8Array, void, void> {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(1, this.status.size - from)));
    for (let position = from, sinceTurn = 0; ; ) {
      signal.throwIfAborted();
      const count = this.read(buffer, position);
      if (count > 0) yield buffer.subarray(0, count);
      position += count;
      sinceTurn += count;
      if (count < buffer.length) return;
      if (sinceTurn >= turnBytes) {
        sinceTurn = 0;
        await setImmediate();
      }
    }
  }

  /** The whole content. Throws FILE_TOO_LARGE over `maxBytes`, also where it grew since it was opened. */
  async bytes(maxBytes: number, signal: AbortSignal): Promise<Buffer> {
    if (this.status.size > maxBytes) throw tooLarge(this.path, this.status.size, maxBytes);
    const content = Buffer.allocUnsafe(this.status.size + 1);
    let filled = 0;
    for (let sinceTurn = 0; filled < content.length; ) {
      signal.throwIfAborted();
      const count = this.read(content.subarray(filled, filled + turnBytes), filled);
      filled += count;
      if (count === 0) break;
      sinceTurn += count;
      if (sinceTurn >= turnBytes) {
        sinceTurn = 0;
        await setImmediate();
      }
    }
    if (filled > this.status.size) throw changedFile(this.path);
    return content.subarray(0, filled);
  }

  /** SHA-256 of the content, in hex. */
  async hash(signal: AbortSignal): Promise<string> {
    if (this.status.size < smallBytes) {
      signal.throwIfAborted();
      const buffer = Buffer.allocUnsafe(this.status.size + 1);
      const count = this.read(buffer, 0);
      // One more byte shows that it has grown since it was opened.
      if (count < buffer.length) return hash("sha256", buffer.subarray(0, count), "hex");
    }
    const sum = createHash("sha256");
    for await (const chunk of this.chunks(signal)) sum.update(chunk);
    return sum.digest("hex");
  }

  /** Whether the content is still the one that was opened. */
  isUnchanged(): boolean {
    return contentVersion(fstatSync(this.descriptor, { bigint: true })) === this.contentVersion;
  }

  [Symbol.dispose](): void {
    if (this.#descriptor === undefined) return;
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    closeSync(descriptor);
  }
}

/** @param path canonical */
export function openFile(path: string, action: string): OpenedFile {
  const { folder, name } = anchorParent(path, action);
  using held = folder;
  try {
    return new OpenedFile(path, held.openFile(name, constants.O_RDONLY));
  } catch (error) {
    throw toFault(error, action, path);
  }
}

export function changedFile(path: string): HostError {
  return new HostError(
    "FILE_CHANGED",
    `Cannot go on with "${path}": it was changed meanwhile; read it again`,
    {
      details: { path },
    },
  );
}

function tooLarge(path: string, bytes: number, maxBytes: number): HostError {
  const mib = (count: number) => `${(count / 1024 / 1024).toFixed(1)} MiB`;
  return new HostError(
    "FILE_TOO_LARGE",
    `Cannot take "${path}": it has ${mib(bytes)} and the limit is ${mib(maxBytes)}; search in it, or work on a part with a command`,
    { details: { path, bytes, maxBytes } },
  );
}
