import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { codeOf, messageOf } from "../base/index.ts";
import { CliError } from "./errors.ts";

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
    if (found?.isFile() === true) {
      throw new CliError(
        "CLI_FILE_EXISTS",
        `Cannot export to "${path}": the file is there already; name another, or move it away`,
      );
    }
    const written = found === undefined ? `${path}.part` : path;
    try {
      return new ExportFile(path, written, await open(written, found === undefined ? "wx" : "w", 0o600));
    } catch (cause) {
      throw unwritable(written, cause);
    }
  }

  async write(text: string): Promise<void> {
    await this.#handle.appendFile(text).catch((cause: unknown) => {
      throw unwritable(this.path, cause);
    });
  }

  /** Puts it in its place. */
  async finish(): Promise<void> {
    try {
      if (this.#written !== this.path) await this.#handle.sync();
      await this.#handle.close();
      if (this.#written !== this.path) await rename(this.#written, this.path);
    } catch (cause) {
      throw unwritable(this.path, cause);
    }
  }

  /** Leaves nothing behind. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => {});
    if (this.#written !== this.path) await rm(this.#written, { force: true }).catch(() => {});
  }
}

function unwritable(path: string, cause: unknown): CliError {
  const remedy =
    codeOf(cause) === "EEXIST"
      ? "it is what another export writes, or has left; name another file, or remove it"
      : "see that there is space and the folder may be written, or name another file";
  return new CliError(
    "CLI_FILE",
    `Cannot export to "${path}": ${codeOf(cause) ?? messageOf(cause)}; ${remedy}`,
    {
      cause,
    },
  );
}
