import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { TaskError } from "../../store/errors.ts";
import { readsTasks } from "../effects.ts";
import { reading, taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";
import { showResult } from "../show-whole-task.ts";

const parameters = z.strictObject({ task_id: taskId });

/** Maximum number of earlier attempts that are shown. */
const mostEarlier = 20;

export function getTaskResultTool({ tasks }: QueueServices): Tool {
  return defineTool({
    name: "get_task_result",
    title: "Show a task's result",
    description:
      "Show what a task came to: the summary, the files that were changed, the error and the tokens of its last attempt, and the attempts before.",
    category: "system",
    parameters,
    annotations: reading,
    maxOutputChars: 150_000,
    effects: readsTasks,
    async execute({ task_id: id }, { scope }) {
      const task = await tasks.require(scope, id);
      const results = await tasks.results(scope, id);
      const last = results.at(-1);
      if (last === undefined)
        throw new TaskError("QUEUE_TASK_STATE", `No results found for task '${id}' (status: ${task.state})`, {
          details: { state: task.state },
        });
      const earlier = results.slice(-1 - mostEarlier, -1);
      const data = {
        task_id: id,
        status: task.state,
        ...showResult(last),
        attempts: results.length,
        ...(earlier.length > 0 && { earlier_attempts: earlier.map(showResult) }),
      };
      return labelledContent(data, [last, ...earlier]);
    },
  });
}
