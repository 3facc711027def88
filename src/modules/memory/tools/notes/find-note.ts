import { nearestNames } from "../../../../base/index.ts";
import type { Memory } from "../../store/memory.ts";
import type { MemoryEntry, MemoryKind } from "../../store/memory-entry.ts";
import type { MemoryPage } from "../../store/memory-store.ts";
import { NoteError } from "./errors.ts";
import { noteLabel, notesPrefix } from "./project.ts";

/** Who reads what is no note. */
const readers: Readonly<Record<string, string>> = {
  block: "a block, which recall reads",
  memory: "a memory, which memory_recall finds",
  passage: "a stretch of a memory file, which memory_read reads",
  profile: "a project's profile, which view_profile shows",
} satisfies Partial<Record<MemoryKind, string>>;

/** @throws {NoteError} NOTE_NOT_FOUND, with what the title is the name of instead, or what comes near */
export async function findNote(memory: Memory, project: string, title: string): Promise<MemoryEntry> {
  const entry = await memory.findBlock(noteLabel(project, title));
  if (entry?.kind === "note") return entry;
  const other = entry ?? (await memory.findBlock(title));
  const near = await nearTitles(memory, project, title);
  throw new NoteError(
    "NOTE_NOT_FOUND",
    `There is no note "${title}" in project "${project}": ${other === undefined ? near : `that is ${readers[other.kind] ?? `an entry of kind ${other.kind}, which memory_search finds`}`}`,
    { details: { project, title } },
  );
}

async function nearTitles(memory: Memory, project: string, title: string): Promise<string> {
  const { entries } = await listNotes(memory, project);
  // A title that somebody outside could have chosen is not put into a message.
  const own = entries.filter(({ trust }) => trust === "trusted");
  const near = nearestNames(title, own.map(formatTitle));
  return near.length === 0
    ? "list_notes shows those that are"
    : `did you mean ${near.map((one) => `"${one}"`).join(" or ")}?`;
}

/** The notes of a project, by their labels. */
export function listNotes(memory: Memory, project: string, limit = 1000): Promise<MemoryPage> {
  return memory.listBlocks({ kinds: ["note"], labelPrefix: notesPrefix(project), order: "label", limit });
}

export function formatTitle({ title, label, id }: MemoryEntry): string {
  return title ?? label?.split("/").at(-1) ?? id;
}
