// Everything haft keeps, in one SQLite file: calls, questions, grants, secrets, memory, jobs.
export { openStore, type Store, type StoreOptions } from "../app/store/index.ts";
export { type Durability, StoreError, type StoreErrorCode, storeErrorCodes } from "../db/index.ts";
export {
  ApprovalError,
  type ApprovalErrorCode,
  type ApprovalQuery,
  type ApprovalState,
  type ApprovalStore,
  approvalErrorCodes,
  approvalStates,
  type KeptApproval,
  type ListedApproval,
} from "../modules/approvals/index.ts";
export {
  type ArtifactInfo,
  type Artifacts,
  type Pruned,
  type PruneOptions,
} from "../modules/artifacts/index.ts";
export {
  type Definitions,
  type KeptDefinition,
  type ToolDefinitionText,
} from "../modules/definitions/index.ts";
export {
  type Grant,
  type GrantQuery,
  type GrantState,
  type GrantStore,
  grantStates,
} from "../modules/grants/index.ts";
export { type HookRunLog, type HookRuns, type HookStats } from "../modules/hook-runs/index.ts";
export {
  type ClaimedJob,
  type ClaimOptions,
  type Job,
  type JobFailure,
  type JobHandler,
  type JobHandlers,
  type JobQuery,
  JobRunner,
  type JobRunnerOptions,
  type JobState,
  type Jobs,
  jobStates,
  type NewJob,
} from "../modules/jobs/index.ts";
export {
  type CallQuery,
  type CallRecord,
  type CallState,
  type ChainFault,
  type ChainHead,
  callStates,
  chainFaults,
  type KeptOutcome,
  type LedgerStore,
  type UnknownCall,
  type Verification,
  type VerifyOptions,
  type VersionOutcomes,
} from "../modules/ledger/index.ts";
export {
  type KeptKeyKind,
  SecretError,
  type SecretErrorCode,
  type SecretInfo,
  type SecretKeyInfo,
  type SecretKeyKind,
  type SecretKeys,
  type Secrets,
  secretErrorCodes,
  secretKeyKinds,
} from "../modules/secrets/index.ts";
export {
  type ClaimedRun,
  type EntryQuery,
  type Epoch,
  type InboxOrder,
  inboxOrders,
  type NewEntry,
  type NewMessage,
  type NewRun,
  type NewSession,
  type Run,
  type RunChange,
  type RunKind,
  type RunQuery,
  type RunState,
  type Runs,
  runKinds,
  runStates,
  type Session,
  type SessionChange,
  SessionError,
  type SessionErrorCode,
  type SessionQuery,
  type Sessions,
  sessionErrorCodes,
  type WaitingMessage,
} from "../modules/sessions/index.ts";
export {
  type ChangeHistory,
  type ChangeLog,
  type ChangingCall,
  type ChangingCallQuery,
  type FileChange,
  type FormerFile,
} from "../modules/undo/index.ts";
