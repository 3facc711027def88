import type { Migration } from "../../../db/index.ts";
import { memoryEntryTables } from "./memory-entry-tables.ts";
import { memoryIndexTables } from "./memory-index-tables.ts";

/** What agents remember: entries, their versions and shares, and the index of their texts. */
export const memory: Migration = {
  version: 10,
  name: "memory",
  statements: (schema, engine) => [
    ...memoryEntryTables(schema, engine),
    ...memoryIndexTables(schema, engine),
  ],
};
