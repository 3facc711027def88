import { z } from "zod";
import { getErrorCode } from "../../../../base/index.ts";
import {
  defineTool,
  labelledContent,
  type Tool,
  type ToolContent,
  type ToolContext,
} from "../../../../kernel/index.ts";
import { TaskError } from "../../store/errors.ts";
import type { TaskState } from "../../store/states.ts";
import type { Task } from "../../store/tasks.ts";
import { writeArchiveNote } from "../archive-note.ts";
import { changesTask } from "../effects.ts";
import { findActor } from "../find-actor.ts";
import { changing, named, taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";
import { showLink } from "../show-task.ts";

const parameters = z.strictObject({
  task_id: taskId.optional(),
  project_id: named.optional().describe("Archives the completed tasks of this project, in place of one task"),
  include_failed: z.boolean().default(false).describe("Of a project, also failed and blocked tasks"),
});

/** Maximum number of tasks that one call archives. */
const mostArchived = 200;

export function archiveTaskTool(services: QueueServices): Tool {
  const { tasks } = services;
  return defineTool({
    name: "archive_task",
    title: "Archive tasks",
    description:
      "Put a completed, failed or blocked task away, or all completed tasks of a project. list_archived shows them, restore_task brings one back. What each came to is written to a note of the project.",
    category: "system",
    parameters,
    annotations: { ...changing, idempotent: true },
    effects: ({ task_id: id }) => changesTask(id),
    async execute({ task_id: id, project_id: project, include_failed: withFailed }, context) {
      if (id !== undefined && project !== undefined)
        throw new TaskError(
          "QUEUE_NOTHING_TO_CHANGE",
          "Cannot tell what to archive: give task_id or project_id, not both",
        );
      if (project !== undefined) return archiveProject(services, project, withFailed, context);
      if (id === undefined)
        throw new TaskError("QUEUE_PROJECT_REQUIRED", "task_id or project_id is required to archive tasks");
      const task = await tasks.archive(context.scope, id, findActor(context));
      const note = await writeArchiveNote(tasks, task, context);
      return labelledContent(
        { archived: id, title: task.title, status: task.state, ...(note !== undefined && { note }) },
        [task],
      );
    },
  });
}

async function archiveProject(
  { tasks }: QueueServices,
  projectId: string,
  withFailed: boolean,
  context: ToolContext,
): Promise<object | ToolContent> {
  const { scope, signal } = context;
  const states: readonly TaskState[] = withFailed ? ["COMPLETED", "FAILED", "BLOCKED"] : ["COMPLETED"];
  const { tasks: found, total } = await tasks.list({ scope, projectId, states, limit: mostArchived });
  const by = findActor(context);
  const archived: Task[] = [];
  for (const { id } of found) {
    signal.throwIfAborted();
    try {
      const task = await tasks.archive(scope, id, by);
      archived.push(task);
      await writeArchiveNote(tasks, task, context);
    } catch (error) {
      if (!movedOn.includes(getErrorCode(error) ?? "")) throw error;
    }
  }
  const left = total - found.length;
  const data = {
    archived_count: archived.length,
    archived_ids: archived.map(({ id }) => id),
    archived: archived.map(showLink),
    project_id: projectId,
    ...(left > 0 && { note: `${left} more can be archived: call again` }),
  };
  return labelledContent(data, archived);
}

/** Codes that mean that a task was restarted, archived or deleted after it was listed. */
const movedOn: readonly string[] = ["QUEUE_TASK_STATE", "QUEUE_TASK_UNKNOWN"];
