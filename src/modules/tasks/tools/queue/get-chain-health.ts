import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import type { StuckChain, Task } from "../../store/tasks.ts";
import { chooseProject } from "../choose-project.ts";
import { readsTasks } from "../effects.ts";
import { projectId, reading, taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";
import { showLink } from "../show-task.ts";

const parameters = z.strictObject({
  task_id: taskId
    .optional()
    .describe("What waits for this task. By default for each blocked task of the project."),
  project_id: projectId,
});

export function getChainHealthTool(services: QueueServices): Tool {
  const { tasks } = services;
  return defineTool({
    name: "get_chain_health",
    title: "Find stuck tasks",
    description:
      "Find stuck tasks: those that cannot begin because a task before them is blocked or failed. Skip, restart or reopen that one to let them go on.",
    category: "system",
    parameters,
    annotations: reading,
    effects: readsTasks,
    async execute({ task_id: id, project_id: given }, { scope }) {
      if (id !== undefined) {
        const task = await tasks.require(scope, id);
        const [chain] = await tasks.findStuck({ scope, id });
        const { downstream = [], count = 0 } = chain ?? {};
        return labelledContent(
          { task_id: id, title: task.title, status: task.state, ...showStuck(downstream, count) },
          [task, ...downstream],
        );
      }
      const project = chooseProject(services, given);
      const chains = await tasks.findStuck({ scope, projectId: project });
      const data = {
        project_id: project,
        stuck_chains: chains.map(showChain),
        total_stuck_chains: chains.length,
      };
      return labelledContent(
        data,
        chains.flatMap(({ task, downstream }) => [task, ...downstream]),
      );
    },
  });
}

function showChain({ task, downstream, count }: StuckChain): object {
  return { blocked_task: showLink(task), ...showStuck(downstream, count) };
}

function showStuck(downstream: readonly Task[], count: number): object {
  return { stuck_downstream: downstream.map(showLink), stuck_count: count };
}
