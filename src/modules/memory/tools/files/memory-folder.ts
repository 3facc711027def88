import { join } from "node:path";
import { nearestNames, withoutUndefined } from "../../../../base/index.ts";
import { type FileAccess, HostError, type OpenedFile, type Workspace } from "../../../../host/index.ts";
import type { Effect } from "../../../../kernel/index.ts";
import {
  decodeText,
  detectForm,
  encodeText,
  FileToolError,
  headBytes,
  makeBom,
  type TextForm,
} from "../../../files/index.ts";
import { MemoryFileError } from "./errors.ts";
import { isMemoryFolder, isMemoryPath, saysLittle } from "./memory-path.ts";

const maxFileBytes: number = 256 * 1024;
const maxFiles = 1000;
const maxFolders = 100;
const maxEntries = 5000;
const utf8: TextForm = { encoding: "utf-8", bom: 0 };

/** A memory file, as its folder lists it. */
export interface FolderFile {
  /** The path from the memory folder. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Unix ms. */
  readonly modifiedAt: number;
}

export interface FolderFiles {
  /** The files in the order of their paths; at most {@link maxFiles}. */
  readonly files: readonly FolderFile[];
  /** There are more than that. */
  readonly more: boolean;
}

/** The text of a memory file, as it was read. */
export interface ReadText {
  readonly text: string;
  readonly form: TextForm;
  /** Bytes. */
  readonly size: number;
  /** Unix ms. */
  readonly modifiedAt: number;
  /** The same for as long as the content is. */
  readonly version: string;
}

/** A change of a memory file that is ready to be made. */
export interface StagedText {
  readonly former: ReadText | undefined;
  readonly text: string;
  readonly size: number;
  /** Puts it in place, unless the file is no longer the former. */
  commit(): void;
}

/** What a call may do in the folder: what was decided of it. */
export type FolderAccess = Pick<FileAccess, "effects" | "signal">;

/**
 * The files of one scope's memory. Only plain Markdown files in plain folders are any: nothing is reached through a
 * link, also not one that is put there in the middle of a call, and nothing that has a second name elsewhere is read.
 */
export class MemoryFolder {
  readonly #workspace: Workspace;
  readonly #given: string;

  /** @param folder absolute; it need not exist yet */
  constructor(workspace: Workspace, folder: string) {
    this.#workspace = workspace;
    this.#given = folder;
  }

  /** Canonical; a link that the owner put in its place is followed. */
  get path(): string {
    return this.#workspace.locate(this.#given, {}).path;
  }

  /** What a call does to one file, or to the folder as a whole. It is the caller's own, so it is within their bounds. */
  effect(kind: "read" | "write", path?: string): Effect {
    return { kind, target: path === undefined ? this.path : this.#locate(path), within: true };
  }

  /** Nothing where the folder does not exist. */
  async list(signal: AbortSignal): Promise<FolderFiles> {
    const root = this.path;
    const access: FileAccess = { allowedPaths: [root], effects: [], signal };
    const files: FolderFile[] = [];
    const folders = [""];
    let more = false;
    for (let at = 0; at < folders.length; at++) {
      const folder = folders[at] as string;
      const { entries, truncated } = await this.#listEntries(join(root, folder), access);
      more ||= truncated;
      for (const { path: name, type, size, modifiedAt } of entries) {
        const path = folder === "" ? name : `${folder}/${name}`;
        if (type === "folder" && isMemoryFolder(path)) {
          if (folders.length < maxFolders) folders.push(path);
          else more = true;
        }
        if (type === "file" && isMemoryPath(path)) files.push({ path, size, modifiedAt });
      }
    }
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { files: files.slice(0, maxFiles), more: more || files.length > maxFiles };
  }

  /** @throws {MemoryFileError} MEMORY_FILE_NOT_FOUND, MEMORY_FILE_LINKED; {@link FileToolError} FILE_BINARY; {@link HostError} */
  async read(path: string, access: FolderAccess): Promise<ReadText> {
    try {
      using file = this.#workspace.open(this.#locate(path), toAccess(access));
      return await readText(file, path, access.signal);
    } catch (error) {
      throw await this.#toOwnError(error, path, access.signal);
    }
  }

  /** Reads a file as {@link read} does, for what follows the folder by itself. */
  readOwn(path: string, signal: AbortSignal): Promise<ReadText> {
    return this.read(path, { effects: [{ kind: "read", target: this.path, within: true }], signal });
  }

  /**
   * Stages what `make` makes of a file, or of nothing where there is none, and calls `use` with it. Nothing is left of
   * it afterwards but what was committed.
   */
  async change<Result>(
    path: string,
    access: FolderAccess,
    make: (former: string | undefined) => string,
    use: (staged: StagedText) => Promise<Result>,
  ): Promise<Result> {
    try {
      using staged = this.#workspace.stage(this.#locate(path), toAccess(access), { mode: 0o600 });
      const former = staged.former && (await readText(staged.former, path, access.signal));
      if (former === undefined) await this.#checkNew(path, access.signal);
      const text = make(former?.text);
      const bytes = toBytes(text, former?.form ?? utf8, path);
      checkSize(path, bytes.length);
      await staged.write(bytes);
      return await use({ former, text, size: bytes.length, commit: () => void staged.commit() });
    } catch (error) {
      throw await this.#toOwnError(error, path, access.signal);
    }
  }

  async #listEntries(folder: string, access: FileAccess) {
    try {
      return await this.#workspace.list(folder, access, { recursive: false, limit: maxEntries });
    } catch (error) {
      if (error instanceof HostError && gone.has(error.code)) return { entries: [], truncated: false };
      throw error;
    }
  }

  /** The file's path on the disk. A path that leads anywhere else than where it stands is a link. */
  #locate(path: string): string {
    const place = join(this.path, path);
    const { path: led } = this.#workspace.locate(place, {});
    if (led === place) return place;
    if (process.platform !== "linux" && fold(led) === fold(place)) return led;
    throw new MemoryFileError(
      "MEMORY_FILE_LINKED",
      `Cannot use "${path}": it, or a folder above it, is a link, and memory files are plain files in plain folders; use another path, or put the file itself there`,
      { details: { path } },
    );
  }

  async #checkNew(path: string, signal: AbortSignal): Promise<void> {
    const { files } = await this.list(signal);
    const twin = files.find((file) => fold(file.path) === fold(path));
    if (twin !== undefined && twin.path !== path)
      throw new MemoryFileError(
        "MEMORY_PATH",
        `Cannot make "${path}": there is "${twin.path}", and on other systems both are one file; use that one`,
        { details: { path, nearest: [twin.path] } },
      );
    if (files.length >= maxFiles)
      throw new MemoryFileError(
        "MEMORY_FILE_LIMIT",
        `Cannot make "${path}": the memory folder has ${maxFiles.toLocaleString("en")} files, and that is the limit; write to one that is there, or have some removed by hand`,
      );
  }

  async #toOwnError(error: unknown, path: string, signal: AbortSignal): Promise<unknown> {
    if (!(error instanceof HostError)) return error;
    if (error.code === "PATH_DANGLING") return linked(path, error);
    if (!gone.has(error.code)) return error;
    const { files } = await this.list(signal);
    const nearest = nearestNames(path, files.map((file) => file.path).filter(saysLittle));
    const others =
      nearest.length === 0 ? "memory_list shows those that are" : `did you mean ${nearest.join(" or ")}`;
    return new MemoryFileError(
      "MEMORY_FILE_NOT_FOUND",
      `Cannot read "${path}": there is no such memory file; ${others}`,
      {
        cause: error,
        ...withoutUndefined({ details: { path, nearest } }),
      },
    );
  }
}

/** The folders that the call is bound to are none of this one's. */
function toAccess({ effects, signal }: FolderAccess): FileAccess {
  return { allowedPaths: [], effects, signal };
}

const gone: ReadonlySet<string> = new Set(["FILE_NOT_FOUND", "FILE_NOT_FOLDER"]);

async function readText(file: OpenedFile, path: string, signal: AbortSignal): Promise<ReadText> {
  if (file.status.links > 1) throw linked(path);
  checkSize(path, file.status.size);
  const bytes = await file.bytes(maxFileBytes, signal);
  const form = detectForm(bytes.subarray(0, headBytes));
  if (form === undefined)
    throw new FileToolError(
      "FILE_BINARY",
      `Cannot read "${path}": it holds bytes that are no text; have it removed by hand`,
    );
  const { text, encoding } = decodeText(bytes.subarray(form.bom), form.encoding);
  return {
    text,
    form: { ...form, encoding },
    size: bytes.length,
    modifiedAt: file.status.modifiedAt,
    version: file.contentVersion,
  };
}

function toBytes(text: string, form: TextForm, path: string): Buffer {
  try {
    return Buffer.concat([makeBom(form), encodeText(text, form.encoding, path)]);
  } catch (error) {
    // A file in Latin-1 that is to hold more than that: UTF-8 has it all.
    if (error instanceof FileToolError) return Buffer.from(text);
    throw error;
  }
}

function linked(path: string, cause?: unknown): MemoryFileError {
  return new MemoryFileError(
    "MEMORY_FILE_LINKED",
    `Cannot use "${path}": it is a link, or has a second name elsewhere (a hard link), and what is there need not be memory; put a copy in its place by hand`,
    { cause, details: { path } },
  );
}

function checkSize(path: string, bytes: number): void {
  if (bytes <= maxFileBytes) return;
  throw new MemoryFileError(
    "MEMORY_FILE_LIMIT",
    `Cannot use "${path}": it would have ${bytes.toLocaleString("en")} bytes and a memory file has up to ${maxFileBytes.toLocaleString("en")}; keep it as several files`,
    { details: { path, bytes, maxBytes: maxFileBytes } },
  );
}

function fold(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
