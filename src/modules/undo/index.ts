export { SqlChangeLog } from "./store/change-log.ts";
export type {
  ChangeHistory,
  ChangeLog,
  ChangingCall,
  ChangingCallQuery,
  FileChange,
  FormerFile,
} from "./store/changes.ts";
export type { FileChangeRow } from "./store/tables.ts";
