export type { AgentHost, DriveTurn, NewTurn, ResumedTurn } from "./agent/agent-host.ts";
export { formatAttached, worstTrust } from "./agent/attached-file.ts";
export { allCalls } from "./all-calls.ts";
export {
  findWhereabouts,
  nearestUsable,
  strayEntries,
  strayPins,
  type Whereabouts,
} from "./availability/index.ts";
export {
  type BackupManifest,
  type MovedAside,
  restoreBackup,
  unpackBackup,
  writeBackup,
} from "./backup/index.ts";
export type {
  Channel,
  ChannelAddress,
  ChannelHooks,
  ChannelLimits,
  Inbound,
  Outbound,
  SentMessage,
  ShownQuestion,
} from "./channels/channel.ts";
export {
  appData,
  type ClientPlaces,
  clientKinds,
  configHome,
  inVsCode,
  projectFilesBeside,
  userServerFile,
} from "./client-configs/clients.ts";
export {
  applyClientEdit,
  type ClientChangeBack,
  readClientValue,
  saysEdit,
  takeBackEdit,
} from "./client-configs/edit/apply-edit.ts";
export type { ClientEdit } from "./client-configs/edit/client-edit.ts";
export {
  type FoundServer,
  type FoundServers,
  findClientServers,
} from "./client-configs/find-client-servers.ts";
export {
  allTaskTools,
  collectionTools,
  mainAgentTools,
  type ToolCollection,
  toolCollections,
} from "./collections.ts";
export { parseConfig } from "./config/config.ts";
export { configSchema } from "./config/config-schema.ts";
export type {
  Expose,
  HaftConfig,
  PolicyTest,
  Profile,
  SandboxConfig,
  WebReadConfig,
  WebSearchConfig,
} from "./config/config-types.ts";
export { replaceConfig } from "./config/edit-config.ts";
export { configFileName, type LoadedConfig } from "./config/load-config.ts";
export { listServers } from "./config/merge-configs.ts";
export {
  type CostReport,
  costsOfApp,
  type DefinitionCounter,
  definitionCounter,
  findTier,
  type GroupCost,
  type ListCost,
  type Saving,
  type ToolCost,
  type ToolTier,
} from "./costs/index.ts";
export { type App, type AppOptions, createApp } from "./create-app.ts";
export { eraseCall } from "./erase-call.ts";
export {
  ConfigError,
  type ConfigErrorCode,
  configErrorCodes,
  PinError,
  pinErrorCodes,
  RecordsError,
  type RecordsErrorCode,
  recordsErrorCodes,
} from "./errors.ts";
export { type ExportFormat, formatCalls } from "./export-calls.ts";
export { Home, readIfThere } from "./home.ts";
export type { ModelListing } from "./models/models.ts";
export { type ModelSettings, openModel } from "./models/open-model.ts";
export { type ModelTrial, tryModel } from "./models/try-model.ts";
export { OwnerPin } from "./owner-pin.ts";
export {
  type ExplainedEffect,
  type Explanation,
  explainCall,
  findOutcome,
  fitsSome,
  judgeRecordedCalls,
  type NumberedRule,
  type PolicyTestResult,
  type RuleSource,
  readShadowNotes,
  ruleOfTools,
  runPolicyTests,
  type ShadowDifference,
  type ShadowOptions,
  type ShadowReport,
} from "./policy/index.ts";
export { JsonBytes } from "./records/json-bytes.ts";
export type {
  CallCount,
  CallGroup,
  CallsPage,
  EventCursor,
  IndexProgress,
  JsonEvents,
  JsonRecords,
  RecordEvent,
  RecordedCallQuery,
  Records,
  VerificationSince,
  VerifiedUpTo,
} from "./records/records.ts";
export {
  type ReplayedCall,
  recordedCalls,
  replayCall,
  replayTask,
} from "./replay.ts";
export { awaitSearch } from "./selection/await-search.ts";
export type { Exposed } from "./selection/client-exposure.ts";
export type { ClientView, ClientViewOptions, SelectedPacks } from "./selection/client-view.ts";
export { chooseCoreTools } from "./selection/core-tools-of.ts";
export {
  addServers,
  definitionSource,
  removeServer,
  type ServerFile,
  type WrittenServers,
} from "./servers/change-servers.ts";
export {
  type ConfiguredServer,
  configuredServers,
} from "./servers/configured-servers.ts";
export { missingNeeds, type ServerNeeds } from "./servers/known-servers.ts";
export { readProjectFiles } from "./sources/project-files.ts";
export { listInnerCalls, readTrace, type TraceSpan } from "./trace/trace.ts";
