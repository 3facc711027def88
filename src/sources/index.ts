export { type AgentFile, type AgentSettings, type AgentSource, createAgentSource } from "./agents/index.ts";
export {
  BridgeError,
  type BridgeErrorCode,
  bridgeErrorCodes,
  type SourceErrorCode,
  sourceErrorCodes,
} from "./errors.ts";
export {
  type CheckedExtensions,
  checkExtensions,
  createExtensionSource,
  type ExtensionErrorCode,
  type ExtensionExample,
  type ExtensionFactoryServices,
  type ExtensionLog,
  type ExtensionMeta,
  type ExtensionRequirements,
  type ExtensionSource,
  extensionConfigText,
  extensionErrorCodes,
  isExtensionFile,
  type ModuleExamples,
  newExtensionText,
  type TypePlaces,
} from "./extensions/index.ts";
export {
  createHookSource,
  type HookDefinition,
  type HookEntry,
  type HookRun,
  type HookSource,
  type HookStatistics,
} from "./hooks/index.ts";
export {
  createManifestSource,
  type ManifestSource,
  manifestFileName,
  readManifest,
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
export type { Source, SourceProblem } from "./source.ts";
export { makeVersion } from "./version-of.ts";
