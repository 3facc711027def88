import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { formatBytes } from "../base/index.ts";
import { StoreError } from "./errors.ts";
import { isBusy, toStoreError } from "./faults.ts";
import { loadSqlite } from "./sqlite/load-sqlite.ts";

export interface CopyOptions {
  readonly signal?: AbortSignal;
  /** Called from time to time with the completed share, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** Pages copied in one step (8 MB); between two steps a copy can be cancelled. */
const pagesAtOnce = 2000;

/**
 * Copies a database as it is at one moment, while others write to it, and leaves nothing behind if that fails.
 *
 * @throws {StoreError} and the reason of the signal.
 */
export async function copyStore(path: string, target: string, options: CopyOptions = {}): Promise<void> {
  const { signal, onProgress } = options;
  const { DatabaseSync, backup } = await loadSqlite();
  try {
    const source = new DatabaseSync(path);
    try {
      // What is read stays as it is in a transaction, so that no writer makes the copy begin anew.
      source.exec("pragma busy_timeout = 5000; begin; select 1 from sqlite_schema");
      closeSync(openSync(target, "wx", 0o600));
      await backup(source, target, {
        rate: pagesAtOnce,
        progress: ({ totalPages, remainingPages }) => {
          signal?.throwIfAborted();
          onProgress?.(totalPages === 0 ? 1 : 1 - remainingPages / totalPages);
        },
      });
      signal?.throwIfAborted();
    } finally {
      source.close();
    }
    syncFile(target);
  } catch (thrown) {
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(`${target}${end}`, { force: true });
    if (signal?.aborted === true) throw signal.reason;
    throw toStoreError(thrown, "write", target);
  }
}

/** Whether another connection, of this process or another, has the database open. It must not be open here. */
export async function isStoreInUse(path: string): Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
  const { DatabaseSync } = await loadSqlite();
  const database = new DatabaseSync(path);
  try {
    // Only who has a database to itself can end its write-ahead log.
    const { journal_mode: mode } = database.prepare("pragma journal_mode = delete").get() as {
      journal_mode: string;
    };
    return mode !== "delete";
  } catch (thrown) {
    if (isBusy(thrown)) return true;
    return false; // It is damaged: nobody can work with it.
  } finally {
    database.close();
  }
}

/** Number of copies from before updates that are kept. */
const keptCopies = 3;

/** Path of the folder with a store's copies from before its updates. */
function copiesFolder(path: string): string {
  return `${path}-copies`;
}

/** Lists a store's copies from before its updates, oldest first. */
export function listCopies(path: string): readonly { readonly name: string; readonly bytes: number }[] {
  const folder = copiesFolder(path);
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".db"))
      .sort()
      .map((name) => ({ name, bytes: statSync(join(folder, name)).size }));
  } catch {
    return [];
  }
}

/**
 * Keeps a copy of a store whose tables are about to change, and removes the oldest of many.
 *
 * @throws {StoreError} STORE_FULL where there is no room for it.
 */
export async function keepCopy(
  path: string,
  { version, now }: { version: number; now: number },
): Promise<void> {
  const folder = copiesFolder(path);
  refuseWithoutRoom(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const time = new Date(now).toISOString().replaceAll(":", "-");
  const copy = join(folder, `${time}-version-${version}-${process.pid}.db`);
  const draft = `${copy}.part`;
  await copyStore(path, draft);
  chmodSync(draft, 0o600);
  renameSync(draft, copy);
  for (const { name } of listCopies(path).slice(0, -keptCopies)) rmSync(join(folder, name), { force: true });
}

function refuseWithoutRoom(path: string): void {
  const needed = statSync(path).size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
  const { bavail, bsize } = statfsSync(dirname(path));
  // The change itself writes too.
  if (bavail * bsize >= 2 * needed) return;
  throw new StoreError(
    "STORE_FULL",
    `Cannot open the store "${path}": before its tables change, a copy of ${basename(path)} is kept, and the disk has too little room for both; free ${formatBytes(2 * needed - bavail * bsize)}`,
  );
}

function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
