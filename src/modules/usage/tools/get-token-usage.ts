import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import type { UsageTotal } from "../store/usage.ts";
import { showTotal, showTotals } from "./show-totals.ts";
import type { UsageServices } from "./usage-services.ts";

const parameters = z.strictObject({
  project_id: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe("Only what was asked for this project: its folder. By default every project."),
  task_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Only what was asked for this task, with the tasks that it began. By default every task."),
});

export function getTokenUsageTool({ usage }: UsageServices): Tool {
  return defineTool({
    name: "get_token_usage",
    title: "Tokens of projects and tasks",
    description:
      "Count the tokens that language models took, and their cost in USD, for a project, a task or everything: in total, by model, by agent and by task. A costUsd of null is not known; requests of unknown cost are counted as unpriced.",
    category: "system",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async execute({ project_id: project, task_id: runId }, { scope }) {
      const query = {
        scope,
        ...(project !== undefined && { project }),
        ...(runId !== undefined && { runId }),
      };
      const [total] = (await usage.totals(query)) as readonly [UsageTotal];
      const byTask = await usage.totals({ ...query, by: ["run"] });
      return {
        ...(project !== undefined && { project_id: project }),
        ...(runId !== undefined && { task_id: runId }),
        total: showTotal(total),
        perModel: showTotals(await usage.totals({ ...query, by: ["model"] }), "model"),
        perAgent: showTotals(await usage.totals({ ...query, by: ["agent"] }), "agent"),
        perTask: listTasks(byTask),
      };
    },
  });
}

const mostTasks = 20;

/** The tasks that took most tokens, those first. */
function listTasks(totals: readonly UsageTotal[]): readonly object[] {
  const count = ({ inputTokens, outputTokens }: UsageTotal) => inputTokens + outputTokens;
  return totals
    .filter(({ keys }) => keys.run !== null)
    .toSorted((one, other) => count(other) - count(one))
    .slice(0, mostTasks)
    .map((total) => ({ task_id: total.keys.run, ...showTotal(total) }));
}
