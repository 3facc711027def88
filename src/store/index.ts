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
