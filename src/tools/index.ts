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
  sensitiveFileRules,
} from "./files/index.ts";
export {
  type NetworkOptions,
  type NetworkServices,
  networkTools,
} from "./network/index.ts";
export { type BashResult, type ShellServices, shellTools } from "./shell/index.ts";
export {
  type SystemServices,
  SystemToolError,
  type SystemToolErrorCode,
  systemToolErrorCodes,
  systemTools,
} from "./system/index.ts";
