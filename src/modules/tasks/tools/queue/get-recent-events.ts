import { z } from "zod";
import { withoutUndefined } from "../../../../base/index.ts";
import { defineTool, type Labelled, labelledContent, type Tool } from "../../../../kernel/index.ts";
import type { TaskHappening, Tasks } from "../../store/tasks.ts";
import { findProject } from "../choose-project.ts";
import { readsTasks } from "../effects.ts";
import { projectId, reading } from "../parameters.ts";
import type { QueueServices } from "../services.ts";
import { showTime } from "../show-task.ts";

const parameters = z.strictObject({
  limit: z.int().min(1).max(200).default(10),
  project_id: projectId,
  since: z
    .int()
    .min(0)
    .optional()
    .describe("The seq of an event: shows those after it, the oldest first. By default the newest first."),
});

export function getRecentEventsTool(services: QueueServices): Tool {
  const { tasks } = services;
  return defineTool({
    name: "get_recent_events",
    title: "Show what happened to tasks",
    description: "Show what happened to the tasks of a project: created, taken, completed, failed, stopped.",
    category: "system",
    parameters,
    annotations: reading,
    mayRepeat: true,
    effects: readsTasks,
    async execute({ limit, project_id: given, since }, { scope }) {
      const project = findProject(services, given);
      const happenings = await tasks.happenings({
        scope,
        limit,
        ...withoutUndefined({ projectId: project, since }),
      });
      const data = {
        ...(project !== undefined && { project_id: project }),
        events: happenings.map(showHappening),
      };
      return labelledContent(data, await findLabels(tasks, scope, happenings));
    },
  });
}

/** How far the tasks that events are of can be trusted, and so their projects: nothing is known of one that is gone. */
function findLabels(
  tasks: Tasks,
  scope: string,
  happenings: readonly TaskHappening[],
): Promise<readonly Labelled[]> {
  const ids = new Set(happenings.map(({ taskId }) => taskId));
  return Promise.all(Array.from(ids, async (id) => (await tasks.get(scope, id)) ?? { trust: "untrusted" }));
}

function showHappening({
  seq,
  at,
  taskId,
  projectId: project,
  event,
  from,
  to,
  by,
  why,
}: TaskHappening): object {
  return {
    seq,
    at: showTime(at),
    type: event,
    task_id: taskId,
    project_id: project,
    ...withoutUndefined({ from, to, by, why }),
  };
}
