import type { CallContext, Effect, ToolContext, Trust } from "../../../../kernel/index.ts";
import { MemoryError } from "../../store/errors.ts";
import { Memory } from "../../store/memory.ts";
import { toMemoryCaller } from "../../store/memory-caller.ts";
import { memoryEffects } from "../../store/memory-effects.ts";
import type { MemoryEntry, NewMemoryEntry } from "../../store/memory-entry.ts";
import { profileLabel, projectTag } from "./project.ts";
import type { NoteServices } from "./services.ts";
import { writeEntry } from "./write-entry.ts";

export interface WrittenProfile {
  readonly project: string;
  readonly outcome: "created" | "replaced";
  /** Characters. */
  readonly size: number;
}

export function profileEffects(
  { memory }: NoteServices,
  project: string,
  context: CallContext,
): Promise<readonly Effect[]> {
  return memoryEffects(memory, context, [{ key: profileLabel(project), operation: "overwrite" }]);
}

/** What a profile was made of. */
export interface ProfileOrigin {
  /** The profile is untrusted if one of them is. */
  readonly sources: readonly Pick<MemoryEntry, "id" | "trust">[];
  /** The profile that it continues. Absent: it replaces whatever is there. */
  readonly continues?: MemoryEntry;
}

/**
 * Replaces the profile of a project; what it said before is in its history.
 *
 * @throws {MemoryError} MEMORY_CHANGED where the profile is no longer the one that the new text continues
 */
export async function writeProfile(
  { memory: store }: NoteServices,
  project: string,
  text: string,
  context: ToolContext,
  { sources, continues }: ProfileOrigin = { sources: [] },
): Promise<WrittenProfile> {
  const caller = toMemoryCaller(context);
  const trust: Trust = sources.some((source) => source.trust === "untrusted") ? "untrusted" : context.trust;
  const author = { ...caller.author, ...(sources.length > 0 && { sources: sources.map(({ id }) => id) }) };
  const memory = new Memory(store, { ...caller, author, trust });
  const { entry, created } = await writeEntry(memory, newProfile(project, text), (before) => {
    if (continues !== undefined && continues.revision !== before.revision) throw profileChanged(project);
    return memory.updateBlockText(before.id, text);
  });
  return { project, outcome: created ? "created" : "replaced", size: entry.text.length };
}

function profileChanged(project: string): MemoryError {
  return new MemoryError(
    "MEMORY_CHANGED",
    `Cannot continue the profile of "${project}": it was changed meanwhile; nothing was written, try again`,
    { details: { project } },
  );
}

function newProfile(project: string, text: string): NewMemoryEntry & { readonly label: string } {
  return {
    kind: "profile",
    label: profileLabel(project),
    title: `Profile of ${project}`,
    names: [project],
    text,
    permission: "admin",
    tags: [projectTag(project)],
  };
}
