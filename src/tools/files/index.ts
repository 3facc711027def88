export type { ChangedRepository, CommandUndo } from "./command-journal.ts";
export { FileToolError, type FileToolErrorCode, fileToolErrorCodes } from "./errors.ts";
export { commandUndo, type FileTools, fileTools } from "./file-tools.ts";
export { rememberSeenFiles, type SeenFile, type SeenFiles } from "./seen-files.ts";
export type { FileServices } from "./services.ts";
