export type {
  AnswerEntry,
  Entry,
  EntryContent,
  EntryFacts,
  EntryKind,
  InterruptEntry,
  NewEntry,
  NoteEntry,
  ParkedEntry,
  PruneEntry,
  ResultEntry,
  SummaryEntry,
  UserEntry,
} from "./store/entries.ts";
export { SessionError, type SessionErrorCode, sessionErrorCodes } from "./store/errors.ts";
export { findRun } from "./store/find-rows.ts";
export {
  insertMessage,
  insertNextRun,
  insertRun,
  insertSession,
} from "./store/insert-rows.ts";
export { createLeaseCheck } from "./store/lease-check.ts";
export { mostEntryChars } from "./store/require-short.ts";

export { RunAftermath, recordJobKind, reflectJobKind } from "./store/run-aftermath.ts";
export { RunQuestions } from "./store/run-questions.ts";
export { maxRunAttempts, RunWaking, runJobKind, toRunJob } from "./store/run-waking.ts";
export {
  type ClaimedRun,
  liveStates,
  type NewRun,
  type Run,
  type RunChange,
  type RunKind,
  type RunQuery,
  type RunState,
  type Runs,
  runKinds,
  runStates,
  type SessionChange,
} from "./store/runs.ts";
export { toRun } from "./store/session-row.ts";
export {
  type EntryQuery,
  type Epoch,
  type InboxOrder,
  inboxOrders,
  type NewMessage,
  type NewSession,
  type Session,
  type SessionCopy,
  type SessionQuery,
  type Sessions,
  taskChannel,
  type WaitingMessage,
} from "./store/sessions.ts";
export { findShownTrust, findTakenTrust } from "./store/shown-trust.ts";
export { SqlRuns } from "./store/sql-runs.ts";
export { SqlSessions } from "./store/sql-sessions.ts";
export type { RunRow, Tables as SessionTables } from "./store/tables.ts";
export { formatWait, readWaits, type Wait } from "./store/waits.ts";
export { showEntry } from "./tools/show-entry.ts";
