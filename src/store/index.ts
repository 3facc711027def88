export {
  type ApprovalQuery,
  type ApprovalState,
  approvalStates,
  type ApprovalStore,
  type KeptApproval,
  type ListedApproval,
} from "./approvals/approval-store.ts";
export { ApprovalError, type ApprovalErrorCode, approvalErrorCodes } from "./approvals/errors.ts";
export type { ArtifactInfo, Artifacts, Pruned, PruneOptions } from "./artifacts/artifacts.ts";
export type { ChangeLog, FileChange, FormerFile } from "./changes.ts";
export type { ChainHead } from "./database.ts";
export type { Definitions, KeptDefinition, ToolDefinitionText } from "./definitions/definitions.ts";
export { EmbedError, type EmbedErrorCode, embedErrorCodes } from "./embed/errors.ts";
export {
  type OpenEmbedder,
  openPackagedModel,
  openTransformersModel,
  type TransformersOptions,
} from "./embed/open-model.ts";
export { StoreError, type StoreErrorCode, storeErrorCodes } from "./errors.ts";
export {
  type Grant,
  type GrantQuery,
  type GrantState,
  grantStates,
  type GrantStore,
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
  type Jobs,
  type JobState,
  jobStates,
  type NewJob,
} from "./jobs/jobs.ts";
export {
  type CallQuery,
  type CallRecord,
  type CallState,
  callStates,
  type ChainFault,
  chainFaults,
  type LedgerStore,
  type VersionOutcomes,
  type Verification,
  type VerifyOptions,
} from "./ledger/ledger-store.ts";
export {
  memoryGate,
  type MemoryGate,
  type MemoryOperation,
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
  entityTypes,
  type ExploreOptions,
  type FindOptions,
  type FoundNode,
  type GraphEdge,
  type GraphFacts,
  type GraphNode,
  type GraphTime,
  type MemoryGraph,
  type Mention,
  type NamedEntity,
  nameMatches,
  type NameMatch,
  type Neighbour,
  type Neighbourhood,
  type NewGraphEdge,
  type NewGraphNode,
  type NodeName,
} from "./memory/graph/memory-graph.ts";
export {
  agentScope,
  type MemoryCaller,
  memoryCallerOf,
  type MemoryContext,
  memoryKeyOf,
  memoryScopeOf,
  memoryTarget,
} from "./memory/memory-caller.ts";
export { memoryEffects, type MemoryWish } from "./memory/memory-effects.ts";
export { likenessOf, saysTheSame } from "./memory/likeness.ts";
export {
  type MemoryAuthor,
  type MemoryEntry,
  type MemoryFacts,
  type MemoryKind,
  memoryKinds,
  type MemoryPermission,
  memoryPermissions,
  type MemoryPlace,
  type MemoryShare,
  type MemoryTier,
  memoryTiers,
  type MemoryVersion,
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
  memoryMatches,
  type MemoryPage,
  type MemorySearch,
  type MemoryStore,
  type ToldEntry,
} from "./memory/memory-store.ts";
export {
  type DescribedFacts,
  Memory,
  type ReplacedText,
  type SupersededBlock,
  type SupersededBlocks,
} from "./memory/memory.ts";
export { ownEntries, ownPages } from "./memory/own-pages.ts";
export { pathPart } from "./memory/path-part.ts";
export { recordTurns, toMessage, type Turn } from "./memory/record-turns.ts";
export { applyEdit, type ApplyOptions, type ChangingEdit } from "./memory/plain/apply-edit.ts";
export {
  historyOf,
  keepEntry,
  type Keeping,
  type KeptEntry,
  type KeptVersion,
  keptVersionNumbers,
  keptVersionOf,
  seenBy,
} from "./memory/plain/kept-entry.ts";
export { listKept } from "./memory/plain/list-kept.ts";
export { searchKept } from "./memory/plain/search-kept.ts";
export { openStore, type Store, type StoreOptions } from "./open-store.ts";
export type { Durability } from "./sqlite.ts";
export { SecretError, type SecretErrorCode, secretErrorCodes } from "./secrets/errors.ts";
export {
  type KeptKeyKind,
  type SecretKeyKind,
  secretKeyKinds,
  type SecretKeys,
} from "./secrets/secret-keys.ts";
export type { SecretInfo, SecretKeyInfo, Secrets } from "./secrets/secrets.ts";
