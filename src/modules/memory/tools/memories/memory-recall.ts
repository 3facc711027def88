import { z } from "zod";
import { parseTime, withoutUndefined } from "../../../../base/index.ts";
import { defineTool, labelledContent, type Tool, trustMark } from "../../../../kernel/index.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import type { MemoryHit, MemoryHits, MemorySearch } from "../../store/memory-store.ts";
import { openMemory } from "../memory-of.ts";
import { noteOn } from "../note-on.ts";
import { fromThenOn, query, untilThen } from "../parameters.ts";
import { readsMemory } from "../reads-memory.ts";
import { cutExcerpt, listEntries, showPeriod } from "../show-entry.ts";
import { neighbourChars } from "../show-hits.ts";
import { categories, mostContentChars, tags } from "./parameters.ts";
import type { MemoriesServices } from "./services.ts";
import { showMemory } from "./show-memory.ts";

const parameters = z.strictObject({
  query: query.describe("What to remember, in plain words; a phrase such as last week counts"),
  category: z.enum(categories).optional(),
  limit: z.int().min(1).max(50).optional().describe("10 by default"),
  order: z
    .enum(["relevance", "recent"])
    .optional()
    .describe("relevance by default; recent: the newest of those that match first"),
  since: fromThenOn,
  until: untilThen,
  tags: tags.optional().describe("Only what has all of these"),
  conversations: z
    .boolean()
    .optional()
    .describe("Also what was said in past conversations; false by default"),
  exact: z
    .boolean()
    .optional()
    .describe("Only what has a name that the query says, such as a person's; false by default"),
  all: z.boolean().optional().describe("Also what is only loosely like the query; false by default"),
  former: z
    .boolean()
    .optional()
    .describe("Also what was corrected since, or is no longer so; false by default"),
});

type Given = z.output<typeof parameters>;

export function memoryRecallTool(services: MemoriesServices): Tool {
  return defineTool({
    name: "memory_recall",
    title: "Recall",
    description:
      "Search what is remembered: what the user told you, likes, decided or said before, in this and earlier " +
      "conversations: memories, notes, blocks, files. Returns the best matches with their ids, scores, and what found " +
      "each: its words, its meaning, a name it has, or something it is connected with.",
    category: "memory",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: readsMemory,
    async execute(given, context) {
      const memory = openMemory(services, context);
      const hits = await memory.searchBlocks({ ...toSearch(given), signal: context.signal });
      return showRecalled(hits, memory.scope);
    },
  });
}

function toSearch({
  former = false,
  conversations = false,
  all = false,
  exact = false,
  ...given
}: Given): MemorySearch {
  return {
    query: given.query,
    onlyRelevant: !all,
    ...(exact && { mode: "names" }),
    limit: given.limit ?? 10,
    window: 1,
    ...(given.order !== undefined && { order: given.order }),
    ...(given.category !== undefined && { category: given.category }),
    ...(given.tags !== undefined && { tags: given.tags }),
    ...(given.since !== undefined && { since: parseTime(given.since) }),
    ...(given.until !== undefined && { until: parseTime(given.until) }),
    ...(!conversations && { exceptKinds: ["message"] }),
    ...(former && { with: ["superseded", "invalid"] }),
  };
}

function showRecalled(found: MemoryHits, scope: string): unknown {
  const { hits, total, by, time: period, leftOut } = found;
  const each = Math.floor(mostContentChars / Math.max(hits.length, 1));
  const data = withoutUndefined({
    memories: hits.map((hit) => ({
      ...showHit(hit, each),
      ...(hit.entry.scope !== scope && { shared_by: hit.entry.scope }),
    })),
    shown: hits.length,
    total,
    left_out: leftOut,
    searched_by: by,
    period: period && showPeriod(period),
    note: noteOn(found) ?? (hits.length === 0 ? "Nothing that is remembered matches" : undefined),
  });
  return labelledContent(data, listEntries({ hits }));
}

function showHit({ entry, score, match, before, after }: MemoryHit, most: number) {
  return {
    ...showMemory(entry, most),
    score: Math.round(score * 100) / 100,
    match,
    ...(before.length > 0 && { before: before.map(showNeighbour) }),
    ...(after.length > 0 && { after: after.map(showNeighbour) }),
  };
}

function showNeighbour({ text, place, trust }: MemoryEntry) {
  const { head, more } = cutExcerpt(text, neighbourChars);
  return withoutUndefined({
    speaker: place?.speaker,
    content: head,
    more_chars: more,
    ...trustMark({ trust }),
  });
}
