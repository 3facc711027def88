import { CodedError } from "../../base/index.ts";

/** Every code that the file tools fail with by themselves; the host's codes come beside them. */
export const fileToolErrorCodes = [
  "FILE_NOT_READ",
  "FILE_STALE",
  "FILE_BINARY",
  "FILE_ENCODING",
  "TEXT_NOT_FOUND",
  "TEXT_AMBIGUOUS",
  "EDIT_EMPTY",
  "OFFSET_TOO_LARGE",
  "PDF_UNREADABLE",
  "UNDO_UNKNOWN",
  "UNDO_CONFLICT",
  "UNDO_NOT_KEPT",
  "UNDO_INCOMPLETE",
] as const;
export type FileToolErrorCode = (typeof fileToolErrorCodes)[number];

/** A file tool could not do what it was asked. `message` says what to do instead. */
export class FileToolError extends CodedError<FileToolErrorCode> {
  override readonly name: string = "FileToolError";
}
