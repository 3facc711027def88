export {
  type ApprovalQuery,
  type ApprovalState,
  type ApprovalStore,
  approvalStates,
  type KeptApproval,
  type ListedApproval,
} from "./approvals/approval-store.ts";
export { ApprovalError, type ApprovalErrorCode, approvalErrorCodes } from "./approvals/errors.ts";
export type { ArtifactInfo, Artifacts, Pruned, PruneOptions } from "./artifacts/artifacts.ts";
export type {
  ChangeHistory,
  ChangeLog,
  ChangingCall,
  ChangingCallQuery,
  FileChange,
  FormerFile,
} from "./changes.ts";
export { copyStore, isStoreInUse, listCopies } from "./copy-store.ts";
export type { ChainHead } from "./database.ts";
export type { Definitions, KeptDefinition, ToolDefinitionText } from "./definitions/definitions.ts";
export { encoderIsMissing, openEncoderPackage } from "./embed/encoder-package.ts";
export { EmbedError, type EmbedErrorCode, embedErrorCodes } from "./embed/errors.ts";
export {
  type OpenEmbedder,
  openTransformersModel,
  type TransformersOptions,
} from "./embed/open-model.ts";
export { openPackagedModel } from "./embed/packaged-model.ts";
export { StoreError, type StoreErrorCode, storeErrorCodes } from "./errors.ts";
export { type ExaminedCopy, examineCopy } from "./examine-copy.ts";
export {
  type Grant,
  type GrantQuery,
  type GrantState,
  type GrantStore,
  grantStates,
} from "./grants/grants.ts";
export type { HookRunLog, HookRuns, HookStats } from "./hook-runs.ts";
export {
  type ClaimedJob,
  type ClaimOptions,
  type Job,
  type JobFailure,
  type JobHandler,
  type JobHandlers,
  type JobQuery,
  type JobState,
  type Jobs,
  jobStates,
  type NewJob,
} from "./jobs/jobs.ts";
export {
  type CallQuery,
  type CallRecord,
  type CallState,
  type ChainFault,
  callStates,
  chainFaults,
  type LedgerStore,
  type Verification,
  type VerifyOptions,
  type VersionOutcomes,
} from "./ledger/ledger-store.ts";
export type { UnknownCall } from "./ledger/recover.ts";
export {
  type MemoryGate,
  type MemoryOperation,
  memoryGate,
  memoryOperations,
  stricterPermission,
} from "./memory/access.ts";
export { EntryChecks } from "./memory/entries/checked-entry.ts";
export { entryChanged, entryNotFound, labelTaken } from "./memory/entries/refusals.ts";
export { entryLimits } from "./memory/entry-limits.ts";
export { MemoryError, type MemoryErrorCode, memoryErrorCodes } from "./memory/errors.ts";
export {
  type Connection,
  type ConnectOptions,
  type EdgeSource,
  type EntityType,
  type ExploreOptions,
  entityTypes,
  type FindOptions,
  type FoundNode,
  type GraphEdge,
  type GraphFacts,
  type GraphNode,
  type GraphTime,
  type MemoryGraph,
  type Mention,
  type NamedEntity,
  type NameMatch,
  type Neighbour,
  type Neighbourhood,
  type NewGraphEdge,
  type NewGraphNode,
  type NodeName,
  nameMatches,
} from "./memory/graph/memory-graph.ts";
export { likenessOf, saysTheSame } from "./memory/likeness.ts";
export {
  type DescribedFacts,
  Memory,
  type ReplacedText,
  type SupersededBlock,
  type SupersededBlocks,
} from "./memory/memory.ts";
export {
  agentScope,
  type MemoryCaller,
  type MemoryContext,
  memoryCallerOf,
  memoryKeyOf,
  memoryScopeOf,
  memoryTarget,
} from "./memory/memory-caller.ts";
export { type MemoryWish, memoryEffects } from "./memory/memory-effects.ts";
export {
  type MemoryAuthor,
  type MemoryEntry,
  type MemoryFacts,
  type MemoryKind,
  type MemoryPermission,
  type MemoryPlace,
  type MemoryShare,
  type MemoryTier,
  type MemoryVersion,
  memoryKinds,
  memoryPermissions,
  memoryTiers,
  type NewMemoryEntry,
} from "./memory/memory-entry.ts";
export type { ArchivedBlock, LoadedBlock, SwappedBlocks } from "./memory/memory-moves.ts";
export {
  type ChangedFacts,
  type EditedEntry,
  type FormerEntry,
  type MemoryEdit,
  type MemoryFilter,
  type MemoryHit,
  type MemoryHits,
  type MemoryListing,
  type MemoryMatch,
  type MemoryPage,
  type MemorySearch,
  type MemoryStore,
  memoryMatches,
  type ToldEntry,
} from "./memory/memory-store.ts";
export { ownEntries, ownPages } from "./memory/own-pages.ts";
export { pathPart } from "./memory/path-part.ts";
export { type ApplyOptions, applyEdit, type ChangingEdit } from "./memory/plain/apply-edit.ts";
export {
  historyOf,
  type Keeping,
  type KeptEntry,
  type KeptVersion,
  keepEntry,
  keptVersionNumbers,
  keptVersionOf,
  seenBy,
} from "./memory/plain/kept-entry.ts";
export { listKept } from "./memory/plain/list-kept.ts";
export { searchKept } from "./memory/plain/search-kept.ts";
export { recordTurns, type Turn, toMessage } from "./memory/record-turns.ts";
export { openStore, type Store, type StoreOptions } from "./open-store.ts";
export { checkSecret } from "./secrets/check-secret.ts";
export { SecretError, type SecretErrorCode, secretErrorCodes } from "./secrets/errors.ts";
export {
  type KeptKeyKind,
  type SecretKeyKind,
  type SecretKeys,
  secretKeyKinds,
} from "./secrets/secret-keys.ts";
export type { SecretInfo, SecretKeyInfo, Secrets } from "./secrets/secrets.ts";
export type { Durability } from "./sqlite.ts";
