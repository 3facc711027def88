import { CodedError } from "../../../base/index.ts";

/** Faults of files that memory is to be imported from. */
export const memoryImportErrorCodes = ["MEMORY_IMPORT"] as const;
export type MemoryImportErrorCode = (typeof memoryImportErrorCodes)[number];

/** A file does not say what is to be imported. Nothing was. */
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
