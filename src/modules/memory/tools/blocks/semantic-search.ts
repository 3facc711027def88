import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { memoryEffects } from "../../store/memory-effects.ts";
import type { MemoryHits } from "../../store/memory-store.ts";
import { openMemory } from "../memory-of.ts";
import { query } from "../parameters.ts";
import { showHits } from "../show-hits.ts";
import { domain, explainNoConversations, limit, toFilter } from "./search-parameters.ts";
import type { BlockServices } from "./services.ts";

const parameters = z.strictObject({
  query: query.describe("What to look for, in a sentence"),
  limit: limit.optional().describe("10 by default"),
  domain: domain.optional().describe("Where to look; everywhere by default"),
});

export function semanticSearchTool(services: BlockServices): Tool {
  return defineTool({
    name: "semantic_search",
    title: "Search memory by meaning",
    description:
      "Search memory by meaning alone, for what was said in other words. Says so where there is no sentence model, " +
      "and then searches by words.",
    category: "memory",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: (_params, context) => memoryEffects(services.memory, context, [{ operation: "read" }]),
    async execute({ query: wanted, limit: most = 10, domain: where = "all" }, context) {
      const memory = openMemory(services, context);
      const found = await memory.searchBlocks({
        ...toFilter(where),
        query: wanted,
        limit: most,
        mode: "meaning",
        signal: context.signal,
      });
      const hits = await explainNoConversations(memory, where, found);
      return showHits(hits.by === "meaning" ? hits : sayByWords(hits));
    },
  });
}

function sayByWords(hits: MemoryHits): MemoryHits {
  const why = "There is no sentence model, so this was searched by words";
  return { ...hits, note: hits.hits.length === 0 && hits.note !== undefined ? `${why}. ${hits.note}` : why };
}
