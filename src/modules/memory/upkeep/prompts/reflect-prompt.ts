import { dataLines, formatDay } from "../../../../base/index.ts";
import type { JsonSchema } from "../../../../kernel/index.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import { listSchema, noteSchema, objectSchema, texts } from "./answer-schema.ts";
import { dataRule } from "./data-lines.ts";
import { mostObservations } from "./observe-prompt.ts";

export const reflectSystem: string = [
  "You condense the notes of an assistant: fewer and shorter notes that say the same.",
  "Put together notes about one matter; where they contradict each other, the later is right, and the change is worth a word. Keep names, numbers, dates and wishes exactly. Write dates out (2026-01-31).",
  "replaces: the ids of the notes that the new one stands for, each note in one list at most. Notes that are best as they are, leave out.",
  "Priority: high, medium or low, as the most important of those it replaces. date: of the latest of them. expires: the day after which it no longer matters, if there is one.",
  dataRule,
].join("\n");

export const reflectSchema: JsonSchema = objectSchema({
  notes: listSchema(noteSchema({ replaces: texts }), mostObservations),
});

export function reflectPrompt(notes: ReadonlyMap<string, MemoryEntry>): string {
  const lines = Array.from(notes, ([id, { at, category, text, validTo }]) => ({
    id,
    date: formatDay(at),
    priority: category,
    ...(validTo !== undefined && { expires: formatDay(validTo) }),
    text,
  }));
  return `${dataLines("notes", lines)}\n\nCondense them.`;
}
