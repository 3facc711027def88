export { type AgentFile, type AgentSettings, type AgentSource, createAgentSource } from "./agents/index.ts";
export type { CommandRunner, UserToolServices } from "./command/create-tool.ts";
export {
  BridgeError,
  type BridgeErrorCode,
  bridgeErrorCodes,
  SourceError,
  type SourceErrorCode,
  sourceErrorCodes,
} from "./errors.ts";
export {
  type CheckedExtensions,
  checkExtensions,
  createExtensionSource,
  ExtensionError,
  type ExtensionErrorCode,
  type ExtensionExample,
  type ExtensionFactoryServices,
  type ExtensionLog,
  type ExtensionMeta,
  type ExtensionRequirements,
  type ExtensionServices,
  type ExtensionSource,
  type ExtensionTimes,
  extensionConfigText,
  extensionErrorCodes,
  isExtensionFile,
  type ModuleExamples,
  newExtensionText,
  type Reloaded,
  type TypePlaces,
  type WorkerLimits,
} from "./extensions/index.ts";
export {
  createHookSource,
  type HookDefinition,
  type HookEntry,
  type HookRun,
  type HookSource,
  type HookSourceServices,
  type HookStatistics,
} from "./hooks/index.ts";
export {
  createManifestSource,
  type ManifestServices,
  type ManifestSource,
  manifestFileName,
  readManifest,
  type SpaceManifest,
} from "./manifest/index.ts";
export {
  createMarkdownSource,
  isTool,
  type MarkdownServices,
  type MarkdownSource,
  type MarkdownTool,
  newToolText,
  readMarkdownTool,
} from "./markdown/index.ts";
export { listOpenings, type OpeningKind } from "./openings.ts";
export { type FileProblem, unreadable } from "./problems.ts";
export { type ExampledTool, type ExampleResult, runExamples } from "./run-examples.ts";
export type { Source, SourceProblem, SourceServices } from "./source.ts";
export { makeVersion } from "./version-of.ts";
