import { dataLines, systemZone } from "../../../../base/index.ts";
import type { JsonSchema } from "../../../../kernel/index.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import { listSchema, noteSchema, objectSchema, texts } from "./answer-schema.ts";
import { dataRule } from "./data-lines.ts";

export const mostObservations = 60;

export const observeSystem: string = [
  "You note what is worth remembering of a conversation, for an assistant that will not see it again.",
  "Note facts about the people in it and what they know, own, like, plan, decided and asked for; what was found out, and what came of it. Leave out small talk, and what is only about this moment.",
  "Each note stands alone: one sentence or two, with names for pronouns. Write dates out (2026-01-31): never today, tomorrow, last week or Monday.",
  "Priority: high for what has to be known always (who people are, wishes, promises, warnings); medium for what may be needed; low for the rest.",
  "date: when it was said or happened. expires: the day after which it no longer matters, if there is one. names: of the people, places and things it is about. from: the ids of the messages that say it.",
  "Where nothing is worth noting, the list is empty.",
  dataRule,
].join("\n");

export const observeSchema: JsonSchema = objectSchema({
  observations: listSchema(noteSchema({ from: texts }), mostObservations),
});

/** The prompt with the messages by the ids that they have in the question. */
export function observePrompt(messages: ReadonlyMap<string, MemoryEntry>, longest: number): string {
  const lines = Array.from(messages, ([id, { at, place, text }]) => ({
    id,
    at: new Date(systemZone.toWallTime(at)).toISOString().slice(0, 16).replace("T", " "),
    who: place?.speaker ?? place?.role ?? "unknown",
    text: text.slice(0, longest).toWellFormed(),
  }));
  return `${dataLines("conversation", lines)}\n\nNote what is worth remembering.`;
}
