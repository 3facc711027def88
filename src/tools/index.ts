export { chainTools } from "./chain/index.ts";
export {
  allTaskTools,
  collectionTools,
  mainAgentTools,
  reflectionTools,
  sessionTools,
  type ToolCollection,
  toolCollections,
} from "./collections.ts";
export { DataError, type DataErrorCode, dataErrorCodes, dataTools } from "./data/index.ts";
export {
  type CommandUndo,
  commandUndo,
  type FileServices,
  FileToolError,
  type FileToolErrorCode,
  type FileTools,
  fileToolErrorCodes,
  fileTools,
  rememberSeenFiles,
  type SeenFile,
  type SeenFiles,
} from "./files/index.ts";
export { type BlockServices, blockTools } from "./memory/blocks/index.ts";
export {
  MemoryFileError,
  type MemoryFileErrorCode,
  type MemoryFileServices,
  MemoryFiles,
  type MemoryFilesOptions,
  memoryFileErrorCodes,
  memoryFileTools,
  memoryFolderName,
  withMemoryFiles,
} from "./memory/files/index.ts";
export { type MemoriesServices, memoriesTools } from "./memory/memories/index.ts";
export {
  type DigestSource,
  type MemoryDigest,
  type MemoryUpkeep,
  NoteError,
  type NoteErrorCode,
  type NoteServices,
  newNote,
  noteErrorCodes,
  noteTools,
} from "./memory/notes/index.ts";
export {
  NetworkError,
  type NetworkErrorCode,
  type NetworkOptions,
  type NetworkServices,
  networkErrorCodes,
  networkTools,
  type SearchProviderName,
  searchProviderNames,
  type WebReadOptions,
  type WebSearchOptions,
  webSearchProblem,
} from "./network/index.ts";
export {
  ScriptError,
  type ScriptErrorCode,
  type ScriptLimits,
  type ScriptServices,
  scriptErrorCodes,
  scriptTools,
} from "./script/index.ts";
export { type SecretServices, secretTools } from "./secrets/index.ts";
export {
  type PackList,
  SelectionError,
  type SelectionErrorCode,
  type SelectionServices,
  selectionErrorCodes,
  selectionTools,
  type ToolFinder,
} from "./selection/index.ts";
export {
  type BashResult,
  type CommandOutcome,
  type CommandRun,
  type Commands,
  createCommands,
  type ShellServices,
  shellTools,
} from "./shell/index.ts";
export {
  type SystemServices,
  SystemToolError,
  type SystemToolErrorCode,
  systemToolErrorCodes,
  systemTools,
} from "./system/index.ts";
