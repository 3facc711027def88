import { dataLines, formatDay } from "../../../../base/index.ts";
import type { JsonSchema } from "../../../../kernel/index.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import { listSchema, objectSchema, text, texts } from "./answer-schema.ts";
import { dataRule } from "./data-lines.ts";

export const promoteSystem: string = [
  "You decide which notes of an assistant become lasting memories.",
  "A memory is one fact that stands alone, in one sentence or two, and will still matter in weeks. Keep names, numbers and dates exactly; write dates out (2026-01-31).",
  "Leave out notes that an older memory says already, and notes of the day.",
  "from: the ids of the notes it is made of. names: of what it is about, with other spellings. supersedes: the id of an older memory that it makes wrong, because the fact has changed or was mistaken; not of one that it only adds to.",
  dataRule,
].join("\n");

export const mostMemories = 60;

export const promoteSchema: JsonSchema = objectSchema({
  memories: listSchema(
    objectSchema({ text, names: texts, from: texts, supersedes: text }, ["names", "supersedes"]),
    mostMemories,
  ),
});

export function promotePrompt(
  notes: ReadonlyMap<string, MemoryEntry>,
  older: ReadonlyMap<string, MemoryEntry>,
): string {
  const toLine = ([id, { at, text }]: [string, MemoryEntry]) => ({ id, date: formatDay(at), text });
  return [
    dataLines("older-memories", Array.from(older, toLine)),
    dataLines("notes", Array.from(notes, toLine)),
    "Say which memories to keep of the notes.",
  ].join("\n\n");
}
