export { boundedNotes, boundedText } from "./bounded-text.ts";
export { SqlChangeLog } from "./change-log.ts";
export type {
  ChangeHistory,
  ChangeLog,
  ChangingCall,
  ChangingCallQuery,
  FileChange,
  FormerFile,
} from "./changes.ts";
export { copyStore, isStoreInUse, listCopies } from "./copy-store.ts";
export type { ChainHead, Database, DeadRun, SealedRow, TypedDatabase } from "./database.ts";
export { StoreError, type StoreErrorCode, storeErrorCodes } from "./errors.ts";
export { toStoreError } from "./faults.ts";
export type { Engine, Migration } from "./migration.ts";
export { filledUp, prepared, splitParts } from "./prepared.ts";
export { randomId } from "./random-id.ts";
export { type ReadCopy, readCopy } from "./read-copy.ts";
export { loadSqlite } from "./sqlite/load-sqlite.ts";
export { type Durability, inMemory, openSqlite } from "./sqlite/sqlite.ts";
export { SqliteConnection } from "./sqlite/sqlite-connection.ts";
export {
  type ApprovalRow,
  type ArtifactPartRow,
  type ArtifactRow,
  type LedgerRow,
  type SecretKeyRow,
  type SecretRow,
  schemaVersion,
  type Tables,
  type ToolDefinitionRow,
  type ToolGrantRow,
} from "./tables.ts";
