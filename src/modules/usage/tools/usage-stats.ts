import { z } from "zod";
import { formatDay, systemZone, type Zone } from "../../../base/index.ts";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import type { UsageTotal } from "../store/usage.ts";
import { showTotal, showTotals } from "./show-totals.ts";
import type { UsageServices } from "./usage-services.ts";

const parameters = z.strictObject({
  days: z.int().min(1).max(365).default(30).describe("How many days to count, today included."),
  source: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Only what was asked for this: a channel such as terminal, or memory. By default everything."),
});

export function usageStatsTool({ usage, now = Date.now, zone = systemZone }: UsageServices): Tool {
  return defineTool({
    name: "usage_stats",
    title: "Usage of language models",
    description:
      "Count what this agent's language models were asked for: messages (requests to a model), tokens and cost in USD, in total, by day, by model and by source. A costUsd of null is not known; requests of unknown cost are counted as unpriced.",
    category: "system",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async execute({ days, source }, { scope }) {
      const since = findStart(now(), days, zone);
      const query = { scope, since, zone, ...(source !== undefined && { source }) };
      const [total] = (await usage.totals(query)) as readonly [UsageTotal];
      return {
        from: formatDay(since, zone),
        days,
        ...(source !== undefined && { source }),
        total: showTotal(total),
        perDay: showTotals(await usage.totals({ ...query, by: ["day"] }), "day"),
        perModel: showTotals(await usage.totals({ ...query, by: ["model"] }), "model"),
        perSource: showTotals(await usage.totals({ ...query, by: ["source"] }), "source"),
      };
    },
  });
}

/** The midnight at which the first of the last `days` days began, today included. */
function findStart(now: number, days: number, zone: Zone): number {
  const today = Date.parse(`${formatDay(now, zone)}T00:00:00Z`);
  return zone.fromWallTime(today - (days - 1) * 86_400_000);
}
