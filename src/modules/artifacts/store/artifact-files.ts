import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { getErrorCode } from "../../../base/index.ts";
import { toStoreError } from "../../../db/index.ts";
import type { Part } from "./parts.ts";

/** Bytes handed to the system at a time; the event loop runs in between. */
const writeBytes = 1_048_576;

/** Large artifacts as files of their own, in a folder for this user alone. */
export class ArtifactFiles {
  readonly #folder: string;
  readonly #durable: boolean;

  /** `durable`: what `write` has written survives the loss of power. */
  constructor(folder: string, options: { readonly durable: boolean }) {
    this.#folder = folder;
    this.#durable = options.durable;
  }

  /** Writes a new file; leaves nothing behind if that fails. */
  async write(id: string, parts: Iterable<Part>): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const file = await open(this.#resolvePath(id), "wx", 0o600);
      try {
        await writeParts(file, parts);
        if (this.#durable) await file.datasync();
      } finally {
        await file.close();
      }
      if (this.#durable) await this.#syncFolder();
    } catch (thrown) {
      await this.remove(id);
      throw toStoreError(thrown, "write", this.#folder);
    }
  }

  /** The bytes from `start` to `end`; fewer where the file is shorter, none where it is gone. */
  async read(id: string, start: number, end: number): Promise<Buffer> {
    try {
      const file = await open(this.#resolvePath(id)).catch(undefinedIfMissing);
      if (file === undefined) return Buffer.alloc(0);
      try {
        return await readFully(file, Buffer.allocUnsafe(end - start), start);
      } finally {
        await file.close();
      }
    } catch (thrown) {
      throw toStoreError(thrown, "read", this.#folder);
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#resolvePath(id), { force: true });
  }

  /** The ids of files last written before `time` (Unix ms). */
  async listOlderThan(time: number): Promise<readonly string[]> {
    const names = (await readdir(this.#folder).catch(undefinedIfMissing)) ?? [];
    const old: string[] = [];
    for (const name of names) {
      const found = await stat(join(this.#folder, name)).catch(undefinedIfMissing);
      if (found !== undefined && found.mtimeMs < time) old.push(name);
    }
    return old;
  }

  #resolvePath(id: string): string {
    return join(this.#folder, basename(id));
  }

  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

async function readFully(file: FileHandle, buffer: Buffer, start: number): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function writeParts(file: FileHandle, parts: Iterable<Part>): Promise<void> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for (const part of parts) {
    batch.push(part.bytes);
    bytes += part.bytes.byteLength;
    if (bytes < writeBytes) continue;
    await writeAll(file, batch, bytes);
    batch = [];
    bytes = 0;
  }
  if (bytes > 0) await writeAll(file, batch, bytes);
}

/** A system may take only a part of what it is given, for instance where the disk fills up. */
async function writeAll(file: FileHandle, batch: readonly Uint8Array[], bytes: number): Promise<void> {
  const { bytesWritten } = await file.writev(batch);
  if (bytesWritten < bytes) await file.writeFile(Buffer.concat(batch).subarray(bytesWritten));
}

function undefinedIfMissing(thrown: unknown): undefined {
  if (getErrorCode(thrown) === "ENOENT") return undefined;
  throw thrown;
}
