import type { Kysely } from "kysely";
import { systemClock } from "../base/index.ts";
import { toStoreError } from "./faults.ts";
import { loadSqlite } from "./sqlite/load-sqlite.ts";
import { SqliteConnection } from "./sqlite/sqlite-connection.ts";

/** A copy of a store, opened to be read alone. */
export interface ReadCopy {
  readonly version: number;
  /** Faults found by the integrity check, at most 20; empty if there are none. */
  readonly faults: readonly string[];
  /** Queries for reading, of the tables that the caller knows. */
  readonly queries: <Known>() => Kysely<Known>;
}

/**
 * Reads a whole copy of a store without changing it; opening the copy as a store would migrate it.
 *
 * @throws {StoreError} where it is no store, or can't be read; the reason of the signal.
 */
export async function readCopy<Result>(
  path: string,
  read: (copy: ReadCopy) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const [{ DatabaseSync }, { kyselyOver }] = await Promise.all([
    loadSqlite(),
    import("./sqlite/sqlite-driver.ts"),
  ]);
  const connection = new SqliteConnection(new DatabaseSync(path, { readOnly: true }), {
    path,
    clock: systemClock,
    busyTimeoutMs: 5000,
  });
  try {
    const { version } = connection
      .prepare("select coalesce(max(version), 0) as version from schema_version")
      .get() as { version: number };
    const found = connection.prepare("pragma quick_check(20)").all() as { quick_check: string }[];
    const faults = found.map((row) => row.quick_check).filter((line) => line !== "ok");
    return await read({ version, faults, queries: () => kyselyOver(connection) });
  } catch (thrown) {
    if (signal?.aborted === true) throw signal.reason;
    throw toStoreError(thrown, "read", path);
  } finally {
    connection.close();
  }
}
