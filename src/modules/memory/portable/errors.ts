import { CodedError } from "../../../base/index.ts";

/** Faults of files that memory is to be imported from. */
export const memoryImportErrorCodes = ["MEMORY_IMPORT"] as const;

/** One of {@link memoryImportErrorCodes}. */
export type MemoryImportErrorCode = (typeof memoryImportErrorCodes)[number];

/**
 * A file does not say what is to be imported. Nothing was.
 *
 * @example
 * ```ts
 * const read = async () => {
 *   for await (const _ of readPortable(["no JSON\n"], { format: "jsonl", name: "import", project: "shop" }));
 * };
 * const fault = await read().catch((error: unknown) => error);
 * fault instanceof MemoryImportError && fault.code; // → "MEMORY_IMPORT"
 * ```
 */
export class MemoryImportError extends CodedError<MemoryImportErrorCode> {
  override readonly name = "MemoryImportError";
}

export function badLine(
  line: number,
  why: string,
  options: { readonly cause?: unknown } = {},
): MemoryImportError {
  return new MemoryImportError("MEMORY_IMPORT", `Cannot import line ${line}: ${why}`, {
    details: { line },
    ...options,
  });
}
