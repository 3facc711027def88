import { type FileHandle, link, lstat, open, rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { getErrorCode, getErrorMessage } from "../../base/index.ts";
import { CliError } from "../errors.ts";

/**
 * A file that is there whole or not at all: it is written under another name beside its place, for this user's eyes
 * only. A device or a pipe is written as it is.
 */
export class ExportFile {
  readonly path: string;
  readonly #written: string;
  readonly #handle: FileHandle;

  private constructor(path: string, written: string, handle: FileHandle) {
    this.path = path;
    this.#written = written;
    this.#handle = handle;
  }

  /** @throws {CliError} CLI_FILE_EXISTS, CLI_FILE. */
  static async create(name: string): Promise<ExportFile> {
    const path = resolve(name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === true) throw isThere(path);
    const written = found === undefined ? `${path}.part` : path;
    try {
      return new ExportFile(path, written, await open(written, found === undefined ? "wx" : "w", 0o600));
    } catch (cause) {
      throw unwritable(written, cause);
    }
  }

  /** Temporary path of the file until it is complete. */
  get draft(): string {
    return this.#written;
  }

  async write(content: string | Uint8Array): Promise<void> {
    await this.#handle.appendFile(content).catch((cause: unknown) => {
      throw unwritable(this.path, cause);
    });
  }

  /**
   * Puts it in its place.
   *
   * @throws {CliError} CLI_FILE_EXISTS where something has come there since, CLI_FILE. It can be abandoned then.
   */
  async finish(): Promise<void> {
    try {
      if (this.#written !== this.path) await this.#handle.sync();
      await this.#handle.close();
      if (this.#written !== this.path) await moveToNew(this.#written, this.path);
    } catch (cause) {
      if (cause instanceof CliError) throw cause;
      throw unwritable(this.path, cause);
    }
  }

  /** Leaves nothing behind. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => {});
    if (this.#written !== this.path) await rm(this.#written, { force: true }).catch(() => {});
  }
}

/** @throws {CliError} CLI_FILE_EXISTS */
async function moveToNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (cause) {
    // Else a file system without links.
    if (getErrorCode(cause) === "EEXIST") throw isThere(to);
    if ((await lstat(to).catch(() => undefined)) !== undefined) throw isThere(to);
    return rename(from, to);
  }
  await rm(from);
}

function isThere(path: string): CliError {
  return new CliError(
    "CLI_FILE_EXISTS",
    `Cannot export to "${path}": the file is there already; name another, or move it away`,
  );
}

function unwritable(path: string, cause: unknown): CliError {
  const remedy =
    getErrorCode(cause) === "EEXIST"
      ? "it is what another export writes, or has left; name another file, or remove it"
      : "see that there is space and the folder may be written, or name another file";
  return new CliError(
    "CLI_FILE",
    `Cannot export to "${path}": ${getErrorCode(cause) ?? getErrorMessage(cause)}; ${remedy}`,
    {
      cause,
    },
  );
}
