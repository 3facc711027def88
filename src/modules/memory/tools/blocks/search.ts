import { z } from "zod";
import { parseTime } from "../../../../base/index.ts";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { memoryEffects } from "../../store/memory-effects.ts";
import { openMemory } from "../memory-of.ts";
import { fromThenOn, untilThen, wordsToLookFor } from "../parameters.ts";
import { showHits } from "../show-hits.ts";
import { domain, explainNoConversations, limit, toFilter } from "./search-parameters.ts";
import type { BlockServices } from "./services.ts";

const parameters = z
  .strictObject({
    domain: domain.describe("Where to look: what was archived, what was said, or everywhere"),
    query: wordsToLookFor,
    limit: limit.optional().describe("20 by default"),
    role: z
      .enum(["user", "assistant", "tool", "system"])
      .optional()
      .describe("conversations: only what this one said"),
    start_time: fromThenOn,
    end_time: untilThen,
  })
  .superRefine(({ domain: where, role }, check) => {
    if (role === undefined || where === "conversations") return;
    check.addIssue({ code: "custom", path: ["role"], message: "only conversations have roles" });
  });

export function searchTool(services: BlockServices): Tool {
  return defineTool({
    name: "search",
    title: "Search memory",
    description:
      "Search archival memory, past conversations, or both, by words and by meaning. Returns the best matches, each " +
      "with its id and label; recall reads one whole.",
    category: "memory",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: (_params, context) => memoryEffects(services.memory, context, [{ operation: "read" }]),
    async execute(given, context) {
      const { domain: where, query, limit: most = 20, role, start_time: start, end_time: end } = given;
      const memory = openMemory(services, context);
      const hits = await memory.searchBlocks({
        ...toFilter(where),
        query,
        limit: most,
        signal: context.signal,
        ...(role !== undefined && { role }),
        ...(start !== undefined && { since: parseTime(start) }),
        ...(end !== undefined && { until: parseTime(end) }),
      });
      return showHits(await explainNoConversations(memory, where, hits));
    },
  });
}
