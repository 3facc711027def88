import { z } from "zod";
import { withoutUndefined } from "../../../../base/index.ts";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { TaskError } from "../../store/errors.ts";
import type { ClaimedTask } from "../../store/tasks.ts";
import { findProject } from "../choose-project.ts";
import { changesTask } from "../effects.ts";
import { findActor } from "../find-actor.ts";
import { changing, projectId, taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";
import { showTime } from "../show-task.ts";
import { listLabels, readWholeTask, showWholeTask } from "../show-whole-task.ts";

const parameters = z.strictObject({
  task_id: taskId.optional().describe("The task to take. By default the most urgent one of the project."),
  project_id: projectId,
  lease_seconds: z
    .int()
    .min(30)
    .max(86_400)
    .default(1_800)
    .describe("How long the task is yours. Later another may take it."),
  lease: z.string().min(1).max(200).optional().describe("The lease of a task that you have: renews it"),
});

export function claimTaskTool(services: QueueServices): Tool {
  const { tasks } = services;
  return defineTool({
    name: "claim_task",
    title: "Take a task",
    description:
      "Take a task that is READY, to work on it yourself. Returns it whole, with a lease: end it by complete_task with that lease before the lease runs out, or renew the lease by claim_task with task_id and lease. A task whose lease ran out can be taken by another.",
    category: "system",
    parameters,
    annotations: changing,
    mayRepeat: true,
    verify: "list the tasks in progress, and see whether one is yours",
    effects: ({ task_id: id }) => changesTask(id),
    async execute({ task_id: id, project_id: given, lease_seconds: seconds, lease }, context) {
      const { scope } = context;
      const leaseMs = seconds * 1000;
      if (lease !== undefined) {
        if (id === undefined)
          throw new TaskError(
            "QUEUE_TASK_UNKNOWN",
            "Cannot renew a lease without its task; give task_id beside lease",
          );
        return { renewed: id, ...showLease(await tasks.renew(scope, id, lease, leaseMs)) };
      }
      const project = id === undefined ? findProject(services, given) : given;
      const claimed = await tasks.claim({
        scope,
        agentId: findActor(context) ?? "somebody",
        leaseMs,
        ...withoutUndefined({ id, projectId: project }),
      });
      if (claimed === undefined)
        return {
          claimed: null,
          ...withoutUndefined({ project_id: project }),
          message: "No task is ready to be taken; list_tasks shows what the others wait for",
        };
      const whole = await readWholeTask(tasks, scope, claimed.id);
      const data = { claimed: claimed.id, ...showLease(claimed), task: showWholeTask(whole) };
      return labelledContent(data, listLabels(whole));
    },
  });
}

function showLease({ lease, leaseUntil }: ClaimedTask): object {
  return { lease, ...(leaseUntil !== undefined && { lease_until: showTime(leaseUntil) }) };
}
