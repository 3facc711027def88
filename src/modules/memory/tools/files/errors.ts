import { CodedError } from "../../../../base/index.ts";

/** Every code that the tools of memory files fail with by themselves; those of the host and of memory come beside them. */
export const memoryFileErrorCodes = [
  "MEMORY_PATH",
  "MEMORY_FILE_NOT_FOUND",
  "MEMORY_FILE_LINKED",
  "MEMORY_FILE_LIMIT",
] as const;
export type MemoryFileErrorCode = (typeof memoryFileErrorCodes)[number];

/** A memory file can't be used like that. Nothing was changed. */
export class MemoryFileError extends CodedError<MemoryFileErrorCode> {
  override readonly name = "MemoryFileError";
}
