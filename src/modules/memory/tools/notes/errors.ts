import { CodedError } from "../../../../base/index.ts";

/** Every code that the tools of notes fail with by themselves; those of memory and of the host come beside them. */
export const noteErrorCodes = ["NOTE_PROJECT", "NOTE_NOT_FOUND", "NOTE_MODEL"] as const;

/** One of {@link noteErrorCodes}. */
export type NoteErrorCode = (typeof noteErrorCodes)[number];

/**
 * A note or a profile can't be used like that. Nothing was changed.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const registry = new ToolRegistry();
 * registry.registerMany(noteTools({ memory: store.memory }));
 * const executor = new ToolExecutor(registry, { rules: [{ decision: "allow" }] });
 * const result = await executor.run("list_notes", {});
 * result.success || result.code; // → "NOTE_PROJECT"
 * ```
 */
export class NoteError extends CodedError<NoteErrorCode> {
  override readonly name = "NoteError";
}
