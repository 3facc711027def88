export { DataError, type DataErrorCode, dataErrorCodes, dataTools } from "./data/index.ts";
export {
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
export { type SecretServices, secretTools } from "./secrets/index.ts";
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
