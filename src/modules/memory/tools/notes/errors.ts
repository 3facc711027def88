import { CodedError } from "../../../../base/index.ts";

/** Every code that the tools of notes fail with by themselves; those of memory and of the host come beside them. */
export const noteErrorCodes = ["NOTE_PROJECT", "NOTE_NOT_FOUND", "NOTE_MODEL"] as const;
export type NoteErrorCode = (typeof noteErrorCodes)[number];

/** A note or a profile can't be used like that. Nothing was changed. */
export class NoteError extends CodedError<NoteErrorCode> {
  override readonly name = "NoteError";
}
