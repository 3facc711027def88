import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { chooseProject } from "../choose-project.ts";
import { readsTasks } from "../effects.ts";
import { projectId, reading } from "../parameters.ts";
import type { QueueServices } from "../services.ts";
import { showRow, showTime } from "../show-task.ts";

const parameters = z.strictObject({
  project_id: projectId,
  limit: z.int().min(1).max(200).default(50),
});

export function listArchivedTool(services: QueueServices): Tool {
  const { tasks } = services;
  return defineTool({
    name: "list_archived",
    title: "List archived tasks",
    description: "List the tasks of a project that were archived.",
    category: "system",
    parameters,
    annotations: reading,
    effects: readsTasks,
    async execute({ project_id: given, limit }, { scope }) {
      const project = chooseProject(services, given);
      const page = await tasks.list({ scope, projectId: project, archived: true, limit });
      const rows = page.tasks.map((task) => ({
        ...showRow(task),
        ...(task.archivedAt !== undefined && { archived_at: showTime(task.archivedAt) }),
      }));
      return labelledContent(
        { tasks: rows, count: rows.length, total: page.total, project_id: project },
        page.tasks,
      );
    },
  });
}
