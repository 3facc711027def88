import { CodedError } from "../../../../base/index.ts";

/** Every code that the tools of memory files fail with by themselves; those of the host and of memory come beside them. */
export const memoryFileErrorCodes = [
  "MEMORY_PATH",
  "MEMORY_FILE_NOT_FOUND",
  "MEMORY_FILE_LINKED",
  "MEMORY_FILE_LIMIT",
] as const;

/** One of {@link memoryFileErrorCodes}. */
export type MemoryFileErrorCode = (typeof memoryFileErrorCodes)[number];

/**
 * A memory file cannot be used so. Nothing was changed.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const workspace = new Workspace({ undo: new UndoFolder(`${process.cwd()}/undo`) });
 * const files = new MemoryFiles({
 *   store: store.memory,
 *   workspace,
 *   memoryFolder: () => `${process.cwd()}/memory`,
 * });
 * const fault = await files.former("local", "tea.md", 1).catch((error: unknown) => error);
 * fault instanceof MemoryFileError && fault.code; // → "MEMORY_FILE_NOT_FOUND"
 * ```
 */
export class MemoryFileError extends CodedError<MemoryFileErrorCode> {
  override readonly name = "MemoryFileError";
}
