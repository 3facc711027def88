import { createHash } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { getErrorCode, getErrorMessage, parseJson } from "../../base/index.ts";
import { isStoreInUse } from "../../db/index.ts";
import { ConfigError } from "../errors.ts";
import { indexSuffixes } from "../records/index-path.ts";
import { examineCopy } from "./examine-copy.ts";
import {
  type BackedUpFile,
  type BackupManifest,
  homePart,
  manifestName,
  readManifest,
  staysWithin,
} from "./manifest.ts";
import { type ReadEntry, readTar } from "./tar.ts";

export interface UnpackOptions {
  /** Path of the backup. */
  readonly file: string;
  /** Folder to unpack into; it must not exist yet. */
  readonly into: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (what: string) => void;
  /** Whether the unpacked files stay after they are verified. */
  readonly keep: boolean;
}

/**
 * Unpacks a backup and verifies all of it: each file against its digest, the database and its ledger, and that every
 * artifact is there. If anything fails, the unpacked files are removed.
 *
 * @throws {ConfigError} BACKUP_DAMAGED; the reason of the signal.
 */
export async function unpackBackup(options: UnpackOptions): Promise<BackupManifest> {
  const { file, into, signal, onProgress } = options;
  try {
    mkdirSync(into, { mode: 0o700 });
    const archive = await open(file);
    try {
      const manifest = await unpack(archive, options);
      onProgress?.("store: checking");
      await checkStore(manifest, into, signal);
      if (!options.keep) rmSync(into, { recursive: true, force: true });
      return manifest;
    } finally {
      await archive.close();
    }
  } catch (thrown) {
    rmSync(into, { recursive: true, force: true });
    if (signal.aborted) throw signal.reason;
    if (thrown instanceof ConfigError) throw thrown;
    throw damaged(
      file,
      getErrorCode(thrown) === "ENOENT" ? "there is no such file" : getErrorMessage(thrown),
      thrown,
    );
  }
}

async function unpack(
  archive: FileHandle,
  { file, into, signal, onProgress }: UnpackOptions,
): Promise<BackupManifest> {
  const found = new Map<string, BackedUpFile>();
  let manifest: BackupManifest | undefined;
  for await (const entry of readTar(archive)) {
    signal.throwIfAborted();
    if (manifest !== undefined || !staysWithin(entry.path) || found.has(entry.path))
      throw damaged(file, `"${entry.path.slice(0, 200)}" is nothing that haft has put into it`);
    if (entry.path === manifestName) manifest = await readEntryManifest(entry, file);
    else found.set(entry.path, await writeEntry(entry, into, signal));
    onProgress?.(`${found.size} files`);
  }
  if (manifest === undefined) throw damaged(file, "it ends too early, or is no backup of haft");
  for (const { path, bytes, hash } of manifest.files) {
    const one = found.get(path);
    if (one?.bytes !== bytes || one.hash !== hash)
      throw damaged(file, `"${path}" in it is missing or was changed`);
  }
  if (found.size !== manifest.files.length) throw damaged(file, "it has more in it than it says");
  return manifest;
}

const maxManifestBytes = 268_435_456;

async function readEntryManifest(entry: ReadEntry, file: string): Promise<BackupManifest> {
  if (entry.bytes > maxManifestBytes) throw damaged(file, "what it says of itself is too long");
  const pieces: Buffer[] = [];
  for await (const piece of entry.content()) pieces.push(piece);
  const manifest = readManifest(parseJson(Buffer.concat(pieces).toString("utf8")));
  if (manifest !== undefined) return manifest;
  throw new ConfigError(
    "BACKUP_DAMAGED",
    `Cannot use the backup "${file}": its manifest has an unknown format; update haft, or use another backup`,
  );
}

async function writeEntry(entry: ReadEntry, into: string, signal: AbortSignal): Promise<BackedUpFile> {
  const target = join(into, entry.path);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  const file = openSync(target, "wx", 0o600);
  try {
    for await (const piece of entry.content()) {
      signal.throwIfAborted();
      hash.update(piece);
      for (let done = 0; done < piece.length; ) done += writeSync(file, piece, done);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return { path: entry.path, bytes: entry.bytes, hash: hash.digest("hex") };
}

async function checkStore(
  { store, files }: BackupManifest,
  into: string,
  signal: AbortSignal,
): Promise<void> {
  const path = join(into, store.path);
  const { faults, ledger, files: artifacts } = await examineCopy(path, signal);
  const why = faults[0] ?? (ledger?.valid === false ? ledger.broken.message : undefined);
  if (why !== undefined) throw damaged(path, `its store is not sound: ${why}`);
  const bytesByPath = new Map(files.map((file) => [file.path, file.bytes]));
  const lost = artifacts.find(({ id, bytes }) => bytesByPath.get(`${store.path}-artifacts/${id}`) !== bytes);
  if (lost !== undefined) throw damaged(path, `the artifact ${lost.id} is not in it`);
}

export interface RestoreOptions {
  /** Folder that {@link unpackBackup} filled; it must be on the same disk as haft's own folder. */
  readonly unpacked: string;
  readonly manifest: BackupManifest;
  /** haft's own folder. */
  readonly home: string;
  /** Place outside haft's own folder that a person has seen and agreed to; the store goes to no other. */
  readonly agreedPlace?: string | undefined;
  /** Current time in Unix ms; it names the folder that keeps the previous content. */
  readonly now: number;
}

/** Previous files that were moved aside: their old path and their new one. */
export type MovedAside = readonly { readonly from: string; readonly to: string }[];

/**
 * Puts an unpacked backup in the place of haft's own folder, and keeps what was there beside it.
 *
 * @throws {ConfigError} BACKUP_PLACE, HOME_IN_USE, HOME_UNUSABLE. Everything is then where it was.
 */
export async function restoreBackup(options: RestoreOptions): Promise<MovedAside> {
  const { unpacked, manifest, home, now, agreedPlace } = options;
  const { place } = manifest.store;
  if (place !== undefined && place !== agreedPlace) throw storeElsewhere(place);
  const database = place ?? join(home, manifest.store.path.slice(homePart.length));
  for (const path of new Set([database, join(home, "haft.db")])) {
    if (await isStoreInUse(path)) {
      throw new ConfigError(
        "HOME_IN_USE",
        `Cannot restore: another haft works with "${path}"; end it (haft serve, and MCP clients that started haft), then restore again`,
      );
    }
  }
  const ending = `.before-restore-${new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")}`;
  const steps = [{ from: join(unpacked, "home"), to: home }];
  if (place !== undefined) {
    const folder = join(unpacked, dirname(manifest.store.path));
    for (const end of ["", "-artifacts", "-wal", "-shm", "-made", ...indexSuffixes])
      steps.push({ from: join(folder, basename(manifest.store.path) + end), to: place + end });
  }
  return swap(steps, ending);
}

/** A backup names that place itself: a person has to see it. */
function storeElsewhere(place: string): ConfigError {
  return new ConfigError(
    "BACKUP_PLACE",
    `Cannot restore: the backup puts its store at "${place}", outside haft's own folder; leave out --yes, and say yes to that place at a terminal`,
    { details: { place } },
  );
}

/** Moves each path in turn, setting aside what is at its target; if one move fails, all are reversed. */
function swap(steps: readonly { readonly from: string; readonly to: string }[], ending: string): MovedAside {
  const done: { readonly from: string; readonly to: string }[] = [];
  const move = (from: string, to: string) => {
    if (statSync(from, { throwIfNoEntry: false }) === undefined) return;
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    renameSync(from, to);
    done.push({ from, to });
  };
  try {
    for (const { from, to } of steps) {
      move(to, `${to}${ending}`);
      move(from, to);
    }
  } catch (cause) {
    for (const { from, to } of done.toReversed()) renameSync(to, from);
    throw new ConfigError(
      "HOME_UNUSABLE",
      `Cannot restore: ${getErrorMessage(cause)}; everything is where it was; see that the folder and the one above it can be written`,
      { cause },
    );
  }
  return done.filter(({ to }) => to.endsWith(ending));
}

function damaged(file: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError(
    "BACKUP_DAMAGED",
    `Cannot use the backup "${file}": ${why}; nothing was changed; use another backup`,
    { cause },
  );
}
