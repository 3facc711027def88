export { HostError, type HostErrorCode, hostErrorCodes } from "./errors.ts";
export { removeAbandonedFiles, type SweepOptions } from "./files/abandoned-files.ts";
export { type FileAccess, isWorkingFolder, type PathBounds } from "./files/bounds.ts";
export type { EntryType, FileStatus } from "./files/file-status.ts";
export { fromHome } from "./files/from-home.ts";
export type { Moved } from "./files/move-entry.ts";
export type { OpenedFile } from "./files/opened-file.ts";
export { readOwnFile, readOwnFolder } from "./files/own-file.ts";
export { isInside, resolvePath } from "./files/path.ts";
export { codeFileRules, codeGlobs } from "./files/searching/code-files.ts";
export type { FindOptions, FoundFile, FoundFiles } from "./files/searching/find-files.ts";
export { type GlobPattern, parseGlob, splitGlob } from "./files/searching/glob-pattern.ts";
export type { FolderEntry, FolderListing, ListOptions } from "./files/searching/list-folder.ts";
export type { FoundLine, SearchedFile, SearchOptions, SearchResult } from "./files/searching/search-text.ts";
export { isSecretName, secretFileRules, secretGlobs } from "./files/secret-files.ts";
export {
  readSourceFile,
  readSourceFiles,
  type SkippedFile,
  type SourceFile,
  type SourceFolder,
  type SourceFolderOptions,
} from "./files/source-folder.ts";
export type { StagedWrite } from "./files/staged-write.ts";
export { type KeptEntry, UndoFolder, type UndoFolderOptions } from "./files/undo-folder.ts";
export { type WatchOptions, watchPath } from "./files/watch-path.ts";
export { type Located, type LocateOptions, Workspace, type WorkspaceOptions } from "./files/workspace.ts";
export { boundOwnLog } from "./log-file.ts";
export {
  type ConnectContext,
  type Connector,
  type ConnectorOptions,
  createConnector,
  type HttpMethod,
  type HttpRequest,
  type HttpResponse,
  type HttpStream,
  httpMethods,
  type OriginOptions,
} from "./net/connector/connector.ts";
export { isLoopbackHost, toHttpOrigin } from "./net/http-address.ts";
export {
  type HttpHandler,
  type HttpListener,
  type HttpListenerOptions,
  openListener,
} from "./net/listener.ts";
export {
  type LocalSocket,
  type LocalSocketOptions,
  type LocalSocketPeer,
  openLocalSocket,
} from "./net/local-socket.ts";
export { createOriginCheck, loopbackHosts, type OriginCheck, type OriginRules } from "./net/origin-check.ts";
export { type ConnectionEnds, findPeerUser } from "./net/peer-user.ts";
export type { UpgradeHandler } from "./net/upgrade.ts";
export {
  openWebSockets,
  type UpgradeRefusal,
  type WebSocketEvents,
  type WebSocketOptions,
  type WebSocketPeer,
  type WebSockets,
} from "./net/websocket.ts";
export { askLocal, type DetachedRequest, isRunning, startDetached, tellStarter } from "./process/detached.ts";
export { openStandardInput } from "./process/in-place-reader.ts";
export { type LineHandlers, LineReader } from "./process/line-reader.ts";
export { notifyDesktop } from "./process/notify.ts";
export { openInBrowser } from "./process/open-browser.ts";
export { openInEditor } from "./process/open-editor.ts";
export type { OpenProcess, OpenProcessEnd } from "./process/open-process.ts";
export type { ProcessOutput } from "./process/output.ts";
export {
  type OpenOptions,
  Processes,
  type ProcessesOptions,
  type ProcessOptions,
  type ProcessResult,
} from "./process/processes.ts";
export type { OutputName } from "./process/request.ts";
export { findAgentTrace } from "./process/surroundings/agent-traces.ts";
export {
  Environment,
  type EnvironmentOptions,
  type EnvironmentOwner,
  readVariable,
} from "./process/surroundings/environment.ts";
export { decidesWhatRuns, readsLikeSecret } from "./process/surroundings/environment-names.ts";
export { isStartedByTool } from "./process/surroundings/inside.ts";
export { type Argv, commandsToInstallBubblewrap } from "./sandbox/bubblewrap/install-bubblewrap.ts";
export type { ProcessBounds } from "./sandbox/enclosing.ts";
export { mayFindProgram } from "./sandbox/find-program.ts";
export { readIndex } from "./sandbox/git/git-index.ts";
export type { SandboxLimits } from "./sandbox/linux/limits.ts";
export { temporaryPlaces } from "./sandbox/mounts/temporary-folders.ts";
export { canWorkIn } from "./sandbox/other-user.ts";
export { outsideRules, outsideSandbox } from "./sandbox/outside.ts";
export { programPlaces } from "./sandbox/program-places.ts";
export { type FoundProgram, ProgramSearch } from "./sandbox/program-search.ts";
export {
  confinedPromises,
  describeIsolation,
  keepsPromises,
  type LimitsReport,
  type SandboxLevel,
  type SandboxPromise,
  type SandboxReport,
  sandboxLevels,
} from "./sandbox/report.ts";
export { Sandbox, type SandboxOptions } from "./sandbox/sandbox.ts";
export type { GitTargets } from "./snapshots/git-targets.ts";
export { type ReflogState, type RepositoryState, rebuildReflog } from "./snapshots/repository-state.ts";
export {
  blobHash,
  type Snapshot,
  type SnapshotChange,
  type SnapshotEntry,
} from "./snapshots/shadow-repository.ts";
export { leftOutFolders, Snapshots, type SnapshotsOptions } from "./snapshots/snapshots.ts";
export { stripTypes } from "./strip-types.ts";
export { readTimeZone, type TimeZoneSources } from "./time-zone.ts";
export { answerFromWorker } from "./workers/answer-from-worker.ts";
export { giveWay, runInBackground } from "./workers/background-thread.ts";
export { runInWorker, type WorkerLimits, type WorkerOutcome } from "./workers/run-in-worker.ts";
export { startWorker } from "./workers/start-worker.ts";
