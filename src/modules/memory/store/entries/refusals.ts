import { MemoryError } from "../errors.ts";

/** What a message calls an entry by. */
interface Called {
  readonly id: string;
  readonly label?: string | null | undefined;
}

/**
 * Makes the refusal for an entry that is not there, or that the scope does not see: MEMORY_NOT_FOUND.
 *
 * @example
 * ```ts
 * entryNotFound("m_1").code; // → "MEMORY_NOT_FOUND"
 * ```
 */
export function entryNotFound(id: string): MemoryError {
  return new MemoryError(
    "MEMORY_NOT_FOUND",
    `Cannot find the entry ${JSON.stringify(id)}: this scope has none with that id; list or search what there is`,
  );
}

export function entryDeleted(entry: Called): MemoryError {
  return new MemoryError(
    "MEMORY_NOT_FOUND",
    `Cannot change ${shown(entry)}: it was deleted; restore it first, or make another`,
  );
}

/**
 * Makes the refusal of an edit for another revision than the entry has: MEMORY_CHANGED, with `details.revision`.
 *
 * @param read its revision as it is
 *
 * @example
 * ```ts
 * const refusal = entryChanged({ id: "m_1", label: "tasks" }, 2, 3);
 * refusal.code; // → "MEMORY_CHANGED"
 * refusal.details; // → { revision: 3 }
 * ```
 */
export function entryChanged(entry: Called, revision: number, read: number): MemoryError {
  return new MemoryError(
    "MEMORY_CHANGED",
    `Cannot change ${shown(entry)}: the change is for its revision ${revision}, and it has ${read}; read it again`,
    { details: { revision: read } },
  );
}

export function notOwner(entry: Called & { readonly scope: string }): MemoryError {
  return new MemoryError(
    "MEMORY_NOT_OWNER",
    `Cannot do that with ${shown(entry)}: it is shared by "${entry.scope}", and only its owner deletes or shares it, changes what is said of it, or goes back in its history; make an entry of your own`,
  );
}

/**
 * Makes the refusal of a label that another entry of the scope has: MEMORY_LABEL_TAKEN.
 *
 * @example
 * ```ts
 * labelTaken("tasks").code; // → "MEMORY_LABEL_TAKEN"
 * ```
 */
export function labelTaken(label: string): MemoryError {
  return new MemoryError(
    "MEMORY_LABEL_TAKEN",
    `Cannot use the label ${JSON.stringify(label)}: another entry of this scope has it; choose another, or rename or delete that one`,
  );
}

export function nothingTo(step: "undo_block" | "redo_block", entry: Called): MemoryError {
  const [what, why] =
    step === "undo_block"
      ? ["undo a change of", "it is as it was made, or what it was before is no longer kept"]
      : ["make a change again of", "none was undone since it was changed last"];
  return new MemoryError("MEMORY_NOTHING_TO_UNDO", `Cannot ${what} ${shown(entry)}: ${why}; see its history`);
}

function shown({ id, label }: Called): string {
  return JSON.stringify(label ?? id);
}
