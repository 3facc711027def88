import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { getErrorCode } from "../../base/index.ts";
import { copyStore } from "../../db/index.ts";
import type { ChainHead } from "../../modules/ledger/index.ts";
import { ConfigError } from "../errors.ts";
import { indexSuffixes } from "../records/index-path.ts";
import { type ExaminedCopy, examineCopy } from "./examine-copy.ts";
import { type BackedUpFile, type BackupManifest, homePart, manifestName } from "./manifest.ts";
import { tarEnd, tarHead, tarPadding } from "./tar.ts";

export interface BackupOptions {
  /** haft's own folder. */
  readonly home: string;
  /** Path of the database, inside or outside `home`. */
  readonly store: string;
  /** Version of haft. */
  readonly version: string;
  readonly now: number;
  readonly signal: AbortSignal;
  /** A folder on a disk with room for a copy of the database. */
  readonly scratch: string;
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Called with a description of each step as it begins. */
  readonly onProgress?: (what: string) => void;
}

/** Entries of haft's folder that can be recreated or that only apply to this machine. */
const leftOut: ReadonlySet<string> = new Set(["models", "sandbox-proof.json", "serving"]);
/** Suffixes of the database, of the files that running processes keep beside it, and of its copies. */
const besideStore = ["", "-wal", "-shm", "-runs", "-copies", "-artifacts", ...indexSuffixes];

/**
 * Writes the whole of haft's own folder as one archive, consistent while others write: the database as it is at one
 * moment, with the files of every artifact that is in it.
 *
 * @throws {StoreError} of the store; {ConfigError} BACKUP_FAILED; the reason of the signal.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupManifest> {
  const scratch = mkdtempSync(join(options.scratch, ".haft-backup-"));
  try {
    const copy = join(scratch, "haft.db");
    const archive = new Archive(options);
    const { files, head, ...found } = await copyWithFiles(copy, options);
    const { inArchive, place } = findPlace(options);
    await archive.addFile(inArchive, copy);
    for (const { id } of files)
      await archive.addNeeded(`${inArchive}-artifacts/${id}`, join(`${options.store}-artifacts`, id));
    await archive.addFolder(options.home, "home");
    const manifest: BackupManifest = {
      format: 1,
      version: options.version,
      madeAt: options.now,
      store: { path: inArchive, version: found.version, head, ...(place !== undefined && { place }) },
      files: archive.files,
    };
    await archive.finish(manifest);
    return manifest;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface SoundCopy {
  readonly version: number;
  readonly head: ChainHead;
  readonly files: ExaminedCopy["files"];
}

/** Copies the database; copies it again if retention removed an artifact's file in the meantime. */
async function copyWithFiles(copy: string, { store, signal, onProgress }: BackupOptions): Promise<SoundCopy> {
  for (let tries = 1; ; tries++) {
    await copyStore(store, copy, {
      signal,
      onProgress: (share) => onProgress?.(`store: ${Math.round(share * 100)} %`),
    });
    onProgress?.("store: checking");
    const examined = await examineCopy(copy, signal);
    const { version, files, ledger } = examined;
    if (examined.faults.length > 0 || ledger?.valid !== true) throw damaged(examined, store);
    const missing = files.filter(({ id, bytes }) => measureSize(join(`${store}-artifacts`, id)) !== bytes);
    if (missing.length === 0) return { version, head: ledger.head, files };
    if (tries === 3) {
      throw new ConfigError(
        "BACKUP_FAILED",
        `Cannot back up: ${missing.length} artifacts of the store "${store}" have lost their files, the first is ${missing[0]?.id}; put them back from an earlier copy of "${store}-artifacts", or remove them with the calls that they are of`,
      );
    }
    rmSync(copy, { force: true });
  }
}

function damaged({ faults, ledger }: ExaminedCopy, store: string): ConfigError {
  const why =
    faults[0] ?? (ledger?.valid === false ? ledger.broken.message : "its tables are of another version");
  return new ConfigError(
    "BACKUP_FAILED",
    `Cannot back up: the store "${store}" is not sound: ${why}; see \`haft doctor\``,
  );
}

function measureSize(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** Path of the database in the archive: within haft's own folder if it is there, else beside it. */
function findPlace({ home, store }: BackupOptions): { readonly inArchive: string; readonly place?: string } {
  const within = relative(home, store);
  if (within !== "" && !within.startsWith("..") && within !== store)
    return { inArchive: homePart + within.split(sep).join("/") };
  return { inArchive: "store/haft.db", place: store };
}

class Archive {
  readonly files: BackedUpFile[] = [];
  readonly #options: BackupOptions;
  readonly #skipped: ReadonlySet<string>;

  constructor(options: BackupOptions) {
    this.#options = options;
    this.#skipped = new Set(besideStore.map((end) => `${options.store}${end}`));
  }

  async addFolder(folder: string, path: string): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const place = join(folder, entry.name);
      const isLeftOut = folder === this.#options.home && leftOut.has(entry.name);
      if (isLeftOut || this.#skipped.has(place) || /^\.haft-.*\.tmp$/.test(entry.name)) continue;
      if (entry.isDirectory()) await this.addFolder(place, `${path}/${entry.name}`);
      else if (statSync(place, { throwIfNoEntry: false })?.isFile() === true)
        await this.#addIfThere(`${path}/${entry.name}`, place);
    }
  }

  async addFile(path: string, from: string): Promise<void> {
    const { signal, write, onProgress } = this.#options;
    const file = await open(from);
    try {
      const { size: bytes } = await file.stat();
      const hash = createHash("sha256");
      await write(tarHead({ path, bytes }));
      for await (const piece of readPieces(file, bytes, from)) {
        signal.throwIfAborted();
        hash.update(piece);
        await write(piece);
      }
      await write(tarPadding(bytes));
      this.files.push({ path, bytes, hash: hash.digest("hex") });
      onProgress?.(`${this.files.length} files`);
    } finally {
      await file.close();
    }
  }

  async finish(manifest: BackupManifest): Promise<void> {
    const { write } = this.#options;
    const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
    await write(tarHead({ path: manifestName, bytes: text.length }));
    await write(text);
    await write(tarPadding(text.length));
    await write(tarEnd);
  }

  /** Adds a file that the database refers to. */
  async addNeeded(path: string, from: string): Promise<void> {
    try {
      await this.addFile(path, from);
    } catch (cause) {
      if (getErrorCode(cause) !== "ENOENT") throw cause;
      throw new ConfigError(
        "BACKUP_FAILED",
        `Cannot back up: "${from}" was removed to make room while it was read; back up again`,
        { cause },
      );
    }
  }

  /** Adds a file, unless another process has removed it in the meantime. */
  async #addIfThere(path: string, from: string): Promise<void> {
    try {
      await this.addFile(path, from);
    } catch (error) {
      if (getErrorCode(error) !== "ENOENT") throw error;
    }
  }
}

const pieceBytes = 1_048_576;

/** Reads the first `bytes` bytes of a file; others may append to it in the meantime. */
async function* readPieces(file: FileHandle, bytes: number, path: string): AsyncGenerator<Buffer> {
  for (let done = 0; done < bytes; ) {
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, bytes - done));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, done);
    if (bytesRead === 0) {
      throw new ConfigError(
        "BACKUP_FAILED",
        `Cannot back up: "${path}" became shorter while it was read; back up again`,
      );
    }
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
