export { type BlockServices, blockTools } from "./blocks/index.ts";
export {
  MemoryFileError,
  type MemoryFileErrorCode,
  type MemoryFileServices,
  MemoryFiles,
  type MemoryFilesOptions,
  memoryFileErrorCodes,
  memoryFileTools,
  withMemoryFiles,
} from "./files/index.ts";
export { type MemoriesServices, memoriesTools } from "./memories/index.ts";
export {
  type DigestSource,
  type MemoryDigest,
  type MemoryUpkeep,
  NoteError,
  type NoteErrorCode,
  type NoteServices,
  noteErrorCodes,
  noteTools,
} from "./notes/index.ts";
