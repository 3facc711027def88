import { systemClock } from "../base/index.ts";
import { toStoreError } from "./faults.ts";
import type { Verification } from "./ledger/ledger-store.ts";
import { verifyChain } from "./ledger/verify-chain.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { schemaVersion } from "./tables.ts";

/** What is in a copy of a store. */
export interface ExaminedCopy {
  readonly version: number;
  /** What an integrity check finds; empty for a sound one. */
  readonly faults: readonly string[];
  /** Undefined for a copy of an earlier version: its chain is followed once its tables are brought up to date. */
  readonly ledger: Verification | undefined;
  /** Artifacts that are files of their own, beside the database. */
  readonly files: readonly { readonly id: string; readonly bytes: number }[];
}

/**
 * Reads a copy of a store whole, and changes nothing in it: unlike one that is opened, it stays the copy that it was.
 *
 * @throws {StoreError} where it is no store, or can't be read.
 */
export async function examineCopy(path: string, signal?: AbortSignal): Promise<ExaminedCopy> {
  const [{ DatabaseSync }, { kyselyOver }] = await Promise.all([
    import("node:sqlite"),
    import("./sqlite-driver.ts"),
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
