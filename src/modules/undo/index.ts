export { SqlChangeLog } from "./store/change-log.ts";
export { listChangedPaths } from "./store/changed-paths.ts";
export type {
  ChangeHistory,
  ChangeLog,
  ChangingCall,
  ChangingCallQuery,
  FileChange,
  FormerFile,
} from "./store/changes.ts";
export type { FileChangeRow, Tables as ChangeTables } from "./store/tables.ts";
