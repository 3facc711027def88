import { chmodSync, lstatSync, rmSync } from "node:fs";
import type { Clock } from "../../base/index.ts";
import type { Statement } from "../database.ts";
import { StoreError } from "../errors.ts";
import { toStoreError } from "../faults.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { createFile } from "./sqlite-file.ts";

export interface DerivedFileOptions {
  readonly path: string;
  /** Version of the tables. A file of another version is deleted and made again. */
  readonly version: number;
  /** Statements that create the tables. */
  readonly tables: readonly string[];
  readonly clock: Clock;
  /** @default 10,000 */
  readonly busyTimeoutMs?: number;
}

/** A database file whose content is computed from a store. A damaged or outdated file is deleted and made again. */
export interface DerivedFile {
  readonly path: string;
  prepare(sql: string): Statement;
  /** Runs `work` in a transaction that holds the write lock. `work` may run more than once. */
  transact(work: () => void): Promise<void>;
  /** Moves the write-ahead log into the file and empties it, so that deleted data is in neither. */
  checkpoint(): void;
  close(): void;
}

/** Opens the file. Makes it if it is missing, damaged or of another version. */
export async function openDerivedFile(options: DerivedFileOptions): Promise<DerivedFile> {
  try {
    return await open(options);
  } catch (thrown) {
    if (toStoreError(thrown, "open", options.path).code !== "STORE_CORRUPT")
      throw toStoreError(thrown, "open", options.path);
    removeDerivedFile(options.path);
    return open(options);
  }
}

/** Removes the file with its log. A process that has it open keeps the removed file until it opens it again. */
export function removeDerivedFile(path: string): void {
  for (const end of ["-wal", "-shm", ""]) rmSync(`${path}${end}`, { force: true });
}

/**
 * Sees to it that the file is there and this user's alone. What others put in its place is removed: through a link, tables
 * would be made in another database, and whoever owns a file can read it.
 */
function takePlace(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const user = process.getuid?.();
  const isOwn = user === undefined || user === 0 || found?.uid === user;
  if (found !== undefined && !(found.isFile() && isOwn)) removeDerivedFile(path);
  else if (found !== undefined && user !== undefined && (found.mode & 0o077) !== 0) chmodSync(path, 0o600);
  createFile(path);
}

async function open({ path, version, tables, clock, busyTimeoutMs = 10_000 }: DerivedFileOptions) {
  takePlace(path);
  const { DatabaseSync } = await loadSqlite();
  const connection = new SqliteConnection(new DatabaseSync(path), { path, clock, busyTimeoutMs });
  try {
    connection.exec("pragma busy_timeout = 20; pragma page_size = 8192");
    await connection.untilFree(() => connection.exec("pragma journal_mode = wal"));
    // A power failure may lose the last transactions, which are then computed again.
    connection.exec(
      "pragma synchronous = normal; pragma secure_delete = on; pragma trusted_schema = off; pragma journal_size_limit = 67108864",
    );
    await connection.untilFree(() => {
      connection.exec("begin immediate");
      try {
        const { user_version: found } = connection.prepare("pragma user_version").get() as {
          user_version: number;
        };
        if (found !== 0 && found !== version)
          throw new StoreError("STORE_CORRUPT", `"${path}" has tables of version ${found}`);
        if (found === 0) connection.exec([...tables, `pragma user_version = ${version}`].join(";\n"));
        connection.exec("commit");
      } catch (thrown) {
        connection.rollback();
        throw thrown;
      }
    });
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
  return {
    path,
    prepare: (sql: string) => connection.prepare(sql),
    transact: (work: () => void) => connection.transact("derived", work),
    checkpoint: () => connection.exec("pragma wal_checkpoint(truncate)"),
    close: () => connection.close(),
  };
}
