import { z } from "zod";
import { withoutUndefined } from "../../../base/index.ts";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import type { MemoryEntry, MemoryHit, MemoryHits, MemorySearch } from "../../../store/index.ts";
import { memoryContent } from "../memory-content.ts";
import { categories, mostContentChars, query, tags, time } from "./parameters.ts";
import { type KeptMemories, memoryOf } from "./services.ts";
import { showMemory, showTime } from "./show-memory.ts";

const neighbourChars = 200;

const parameters = z.strictObject({
  query: query.describe("What to remember, in plain words; a phrase such as last week counts"),
  category: z.enum(categories).optional(),
  limit: z.int().min(1).max(50).optional().describe("10 by default"),
  order: z
    .enum(["relevance", "recent"])
    .optional()
    .describe("relevance by default; recent: the newest of those that match first"),
  since: time.optional().describe("Only what is from then on: 2026-05-08, or 2026-05-08T10:00:00Z"),
  until: time.optional().describe("Only what is from before"),
  tags: tags.optional().describe("Only what has all of these"),
  conversations: z
    .boolean()
    .optional()
    .describe("Also what was said in past conversations; false by default"),
  former: z
    .boolean()
    .optional()
    .describe("Also what was corrected since, or is no longer so; false by default"),
});

type Given = z.output<typeof parameters>;

export function memoryRecallTool(services: KeptMemories): Tool {
  return defineTool({
    name: "memory_recall",
    title: "Recall",
    description:
      "Search what is remembered: memories, notes, blocks, memory files. Returns the best matches with their ids, and " +
      "what found each: its words, its meaning, a name it has, or something it is connected with.",
    category: "memory",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async execute(given, context) {
      const memory = memoryOf(services, context);
      const hits = await memory.searchBlocks({ ...toSearch(given), signal: context.signal });
      return showRecalled(hits, memory.scope);
    },
  });
}

function toSearch({ former = false, conversations = false, ...given }: Given): MemorySearch {
  return {
    query: given.query,
    limit: given.limit ?? 10,
    window: 1,
    ...(given.order !== undefined && { order: given.order }),
    ...(given.category !== undefined && { category: given.category }),
    ...(given.tags !== undefined && { tags: given.tags }),
    ...(given.since !== undefined && { since: Date.parse(given.since) }),
    ...(given.until !== undefined && { until: Date.parse(given.until) }),
    ...(!conversations && { exceptKinds: ["message"] }),
    ...(former && { with: ["superseded", "invalid"] }),
  };
}

function showRecalled({ hits, total, by, time: period, note }: MemoryHits, scope: string): unknown {
  const each = Math.floor(mostContentChars / Math.max(hits.length, 1));
  const data = withoutUndefined({
    memories: hits.map((hit) => ({
      ...showHit(hit, each),
      ...(hit.entry.scope !== scope && { shared_by: hit.entry.scope }),
    })),
    shown: hits.length,
    total,
    searched_by: by,
    period: period && {
      phrase: period.phrase,
      from: showTime(period.since),
      to: showTime(period.until),
    },
    note: note ?? (hits.length === 0 ? "Nothing that is remembered matches" : undefined),
  });
  return memoryContent(
    data,
    hits.flatMap(({ entry, before, after }) => [entry, ...before, ...after]),
  );
}

function showHit({ entry, match, before, after }: MemoryHit, most: number) {
  return {
    ...showMemory(entry, most),
    match,
    ...(before.length > 0 && { before: before.map(showNeighbour) }),
    ...(after.length > 0 && { after: after.map(showNeighbour) }),
  };
}

function showNeighbour({ text, place, trust }: MemoryEntry) {
  return withoutUndefined({
    speaker: place?.speaker,
    content: text.length > neighbourChars ? `${text.slice(0, neighbourChars)}…` : text,
    trust: trust === "untrusted" ? trust : undefined,
  });
}
