import { systemClock } from "../../base/index.ts";
import { loadSqlite, SqliteConnection, schemaVersion, toStoreError } from "../../db/index.ts";
import type { Verification } from "../../modules/ledger/index.ts";
import { verifyChain } from "../../modules/ledger/index.ts";

/** Findings about a copy of a store. */
export interface ExaminedCopy {
  readonly version: number;
  /** Faults found by the integrity check; empty if there are none. */
  readonly faults: readonly string[];
  /** Verification of the ledger; undefined for an earlier version, which is verified once its tables are migrated. */
  readonly ledger: Verification | undefined;
  /** Artifacts stored as separate files beside the database. */
  readonly files: readonly { readonly id: string; readonly bytes: number }[];
}

/**
 * Reads a whole copy of a store without changing it; opening the copy as a store would migrate it.
 *
 * @throws {StoreError} where it is no store, or can't be read.
 */
export async function examineCopy(path: string, signal?: AbortSignal): Promise<ExaminedCopy> {
  const [{ DatabaseSync }, { kyselyOver }] = await Promise.all([
    loadSqlite(),
    import("../../db/sqlite/sqlite-driver.ts"),
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
    const files =
      version < 2
        ? []
        : (connection.prepare("select id, bytes from artifact where in_file = 1 order by id").all() as {
            id: string;
            bytes: number;
          }[]);
    return {
      version,
      faults: found.map((row) => row.quick_check).filter((line) => line !== "ok"),
      ledger:
        version === schemaVersion
          ? await verifyChain(kyselyOver(connection), signal === undefined ? {} : { signal })
          : undefined,
      files,
    };
  } catch (thrown) {
    if (signal?.aborted === true) throw signal.reason;
    throw toStoreError(thrown, "read", path);
  } finally {
    connection.close();
  }
}
