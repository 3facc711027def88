export { MemoryFileError, type MemoryFileErrorCode, memoryFileErrorCodes } from "./errors.ts";
export { memoryFileTools } from "./memory-file-tools.ts";
export { MemoryFiles, type MemoryFilesOptions } from "./memory-files.ts";
export { memoryFolderName } from "./memory-path.ts";
export type { MemoryFileServices } from "./services.ts";
export { withMemoryFiles } from "./with-memory-files.ts";
