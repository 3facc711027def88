import { readCopy } from "../../db/index.ts";
import type { ArtifactTables } from "../../modules/artifacts/index.ts";
import { type Verification, verifyChain } from "../../modules/ledger/index.ts";
import { storeSchema } from "../store/store-schema.ts";

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

/** The version of the store from which there are artifacts. */
const firstWithArtifacts = 2;

/**
 * Reads a whole copy of a store without changing it.
 *
 * @throws {StoreError} where it is no store, or can't be read.
 */
export function examineCopy(path: string, signal?: AbortSignal): Promise<ExaminedCopy> {
  return readCopy(
    path,
    async ({ version, faults, queries }) => {
      const inFiles = queries<ArtifactTables>()
        .selectFrom("artifact")
        .select(["id", "bytes"])
        .where("in_file", "=", 1);
      const files = version < firstWithArtifacts ? [] : await inFiles.orderBy("id").execute();
      const isCurrent = version === storeSchema.version;
      const ledger = isCurrent
        ? await verifyChain(queries(), signal === undefined ? {} : { signal })
        : undefined;
      return { version, faults, ledger, files };
    },
    signal,
  );
}
