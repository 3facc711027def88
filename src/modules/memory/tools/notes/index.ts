export { NoteError, type NoteErrorCode, noteErrorCodes } from "./errors.ts";
export { noteTools } from "./note-tools.ts";
export type { DigestSource, MemoryDigest, MemoryUpkeep, NoteServices } from "./services.ts";
export { newNote } from "./write-note.ts";
