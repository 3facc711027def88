import { CodedError } from "../../../base/index.ts";

/** Every code memory fails with. `docs/reference/errors.md` explains each. */
export const memoryErrorCodes = [
  "MEMORY_NOT_FOUND",
  "MEMORY_CHANGED",
  "MEMORY_LABEL",
  "MEMORY_LABEL_TAKEN",
  "MEMORY_TOO_LONG",
  "MEMORY_INVALID",
  "MEMORY_NOTHING_TO_UNDO",
  "MEMORY_NOT_OWNER",
  "MEMORY_DENIED",
  "MEMORY_CONSENT",
  "MEMORY_TEXT_NOT_FOUND",
] as const;

/** One of {@link memoryErrorCodes}. */
export type MemoryErrorCode = (typeof memoryErrorCodes)[number];

/**
 * A refusal of memory. Nothing was changed.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const memory = new Memory(store.memory, { scope: "local", author: { by: "owner:ada" } });
 * const fault = await memory.getBlock("tasks").catch((error: unknown) => error);
 * fault instanceof MemoryError && fault.code; // → "MEMORY_NOT_FOUND"
 * ```
 */
export class MemoryError extends CodedError<MemoryErrorCode> {
  override readonly name = "MemoryError";
}
