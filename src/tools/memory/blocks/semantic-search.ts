import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import { memoryEffects, type MemoryHits } from "../../../store/index.ts";
import { domain, filterOf } from "./domains.ts";
import { limit } from "./parameters.ts";
import { type BlockMemory, memoryOf } from "./services.ts";
import { showHits } from "./show-hits.ts";

const parameters = z.strictObject({
  query: z.string().min(1).max(2000).describe("What to look for, in a sentence"),
  limit: limit.optional().describe("10 by default"),
  domain: domain.optional().describe("Where to look; everywhere by default"),
});

export function semanticSearchTool(services: BlockMemory): Tool {
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
    async execute({ query, limit: most = 10, domain: where = "all" }, context) {
      const hits = await memoryOf(services, context).searchBlocks({
        ...filterOf(where),
        query,
        limit: most,
        mode: "meaning",
        signal: context.signal,
      });
      return showHits(hits.by === "meaning" ? hits : sayByWords(hits));
    },
  });
}

function sayByWords(hits: MemoryHits): MemoryHits {
  const why = "There is no sentence model, so this was searched by words";
  return { ...hits, note: hits.hits.length === 0 && hits.note !== undefined ? `${why}. ${hits.note}` : why };
}
