import { type Database, toStoreError } from "../../../db/index.ts";

/** Reads rows by a statement that is written out: each start reads the secrets, and can't wait for Kysely to load. */
export function readRows<Row>(
  db: Pick<Database, "prepare" | "path">,
  sql: string,
  ...parameters: readonly (string | number)[]
): readonly Row[] {
  try {
    return db.prepare(sql).all(...parameters) as Row[];
  } catch (thrown) {
    throw toStoreError(thrown, "read", db.path);
  }
}
