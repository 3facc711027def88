import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { type MemoryHit, type MemoryHits } from "../../store/memory-store.ts";
import { openMemory } from "../memory-of.ts";
import { wordsToLookFor } from "../parameters.ts";
import { readsMemory } from "../reads-memory.ts";
import { showHits } from "../show-hits.ts";
import { isOfOther, projectId } from "./project.ts";
import type { NoteServices } from "./services.ts";

const parameters = z.strictObject({
  project_id: projectId,
  query: wordsToLookFor,
  top_k: z.int().min(1).max(50).default(10).describe("How many results at most"),
});

/** What belongs to other projects is passed over, so more has to be looked at. */
const pageSize = 100;
const mostPages = 3;

export function memorySearchTool(services: NoteServices): Tool {
  return defineTool({
    name: "memory_search",
    title: "Search memory",
    description:
      "Search all that is remembered (notes, profiles, memories, blocks, memory files, conversations) by words and by meaning, without what belongs to other projects.",
    category: "memory",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: readsMemory,
    async execute({ project_id, query, top_k }, context) {
      const memory = openMemory(services, context);
      const project = project_id ?? services.project;
      const { signal } = context;
      if (project === undefined) return showHits(await memory.searchBlocks({ query, limit: top_k, signal }));
      const hits: MemoryHit[] = [];
      let others = 0;
      for (let page = 0; ; page++) {
        const found: MemoryHits = await memory.searchBlocks({
          query,
          limit: pageSize,
          offset: page * pageSize,
          signal,
        });
        const own = found.hits.filter(({ entry }) => !isOfOther(project, entry));
        hits.push(...own);
        others += found.hits.length - own.length;
        const isLast = found.total <= (page + 1) * pageSize || page + 1 === mostPages;
        if (hits.length >= top_k || isLast)
          return showHits({ ...found, hits: hits.slice(0, top_k), total: found.total - others });
      }
    },
  });
}
