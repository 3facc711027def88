export {
  type ConnectContext,
  type Connector,
  type ConnectorOptions,
  createConnector,
  type HttpMethod,
  type HttpRequest,
  type HttpResponse,
  httpMethods,
  type OriginOptions,
} from "./connector/connector.ts";
export { Environment, type EnvironmentOptions, type EnvironmentOwner, readVariable } from "./environment.ts";
export { HostError, type HostErrorCode, hostErrorCodes } from "./errors.ts";
export type { FileAccess, PathBounds } from "./files/bounds.ts";
export { codeFileRules } from "./files/code-files.ts";
export type { EntryType, FileStatus } from "./files/file-status.ts";
export type { FindOptions, FoundFile, FoundFiles } from "./files/find-files.ts";
export { type GlobPattern, parseGlob, splitGlob } from "./files/glob-pattern.ts";
export type { FolderEntry, FolderListing, ListOptions } from "./files/list-folder.ts";
export type { Moved } from "./files/move-entry.ts";
export type { OpenedFile } from "./files/opened-file.ts";
export type { FoundLine, SearchedFile, SearchOptions, SearchResult } from "./files/search-text.ts";
export { secretFileRules, secretGlobs } from "./files/secret-files.ts";
export type { StagedWrite } from "./files/staged-write.ts";
export { type KeptEntry, UndoFolder, type UndoFolderOptions } from "./files/undo-folder.ts";
export { type HttpHandler, type HttpListener, type HttpListenerOptions, openListener } from "./listener.ts";
export { isStartedByTool } from "./process/inside.ts";
export type { ProcessOutput } from "./process/output.ts";
export {
  Processes,
  type ProcessesOptions,
  type ProcessOptions,
  type ProcessResult,
} from "./process/processes.ts";
export type { OutputName } from "./process/request.ts";
export type { ProcessBounds } from "./sandbox/enclosing.ts";
export type { SandboxLimits } from "./sandbox/limits.ts";
export { outsideRules, outsideSandbox } from "./sandbox/outside.ts";
export {
  describeIsolation,
  type LimitsReport,
  type SandboxLevel,
  type SandboxReport,
  sandboxLevels,
} from "./sandbox/report.ts";
export { Sandbox, type SandboxOptions } from "./sandbox/sandbox.ts";
export { type Located, type LocateOptions, Workspace, type WorkspaceOptions } from "./workspace.ts";
