import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import { memoryEffects } from "../../../store/index.ts";
import { domain, filterOf } from "./domains.ts";
import { limit } from "./parameters.ts";
import { type BlockMemory, memoryOf } from "./services.ts";
import { showHits } from "./show-hits.ts";

const time = z.iso.datetime({ offset: true, local: true }).or(z.iso.date());

const parameters = z
  .strictObject({
    domain: domain.describe("Where to look: what was archived, what was said, or everywhere"),
    query: z
      .string()
      .min(1)
      .max(2000)
      .describe("What to look for, in plain words; a phrase such as last week counts"),
    limit: limit.optional().describe("20 by default"),
    role: z
      .enum(["user", "assistant", "tool", "system"])
      .optional()
      .describe("conversations: only what this one said"),
    start_time: time.optional().describe("Only what is from then on: 2026-05-08, or 2026-05-08T10:00:00Z"),
    end_time: time.optional().describe("Only what is from before"),
  })
  .superRefine(({ domain: where, role }, check) => {
    if (role === undefined || where === "conversations") return;
    check.addIssue({ code: "custom", path: ["role"], message: "only conversations have roles" });
  });

export function searchTool(services: BlockMemory): Tool {
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
      const hits = await memoryOf(services, context).searchBlocks({
        ...filterOf(where),
        query,
        limit: most,
        signal: context.signal,
        ...(role !== undefined && { role }),
        ...(start !== undefined && { since: Date.parse(start) }),
        ...(end !== undefined && { until: Date.parse(end) }),
      });
      return showHits(hits);
    },
  });
}
