import { z } from "zod";
import { withoutUndefined } from "../../../../base/index.ts";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import type { Tasks } from "../../store/tasks.ts";
import { copyAttachments, mostAttachments, readsAttachments } from "../attachments.ts";
import { chooseProject } from "../choose-project.ts";
import { changesTask } from "../effects.ts";
import { findActor } from "../find-actor.ts";
import {
  changing,
  longText,
  maxRetries,
  named,
  priority,
  projectId,
  taskId,
  taskType,
  title,
  verification,
} from "../parameters.ts";
import type { QueueServices } from "../services.ts";

const parameters = z.strictObject({
  title,
  description: longText
    .optional()
    .describe("All that whoever does it has to know, in Markdown. By default the title."),
  project_id: projectId,
  priority: priority.default(100).describe("Lower comes first"),
  requires_approval: z.boolean().default(false).describe("A person has to approve what was done"),
  task_type: taskType.optional().describe("The kind of work"),
  profile_id: named.optional().describe("The profile of the agent that is to do it"),
  preferred_workspace_id: named.optional().describe("The workspace that it is best done in"),
  attachments: z
    .array(z.string().min(1).max(4096))
    .max(mostAttachments)
    .optional()
    .describe("Paths of files, at most 1 MiB each. They are copied now."),
  depends_on: z
    .array(taskId)
    .max(100)
    .optional()
    .describe("Ids of tasks that have to be completed before it can begin"),
  parent_task_id: taskId.optional().describe("The task that it is a part of"),
  max_retries: maxRetries.optional(),
  verification_type: verification.optional().describe("Who checks that it is done"),
  idempotency_key: named
    .optional()
    .describe("A second call with this key makes no second task and returns the first"),
});

export function createTaskTool(services: QueueServices): Tool {
  const { tasks, attachments: copying } = services;
  return defineTool({
    name: "create_task",
    title: "Create a task",
    description:
      "Put a task in the queue of a project, for an agent or a person to do later. It is READY at once, or DEFINED while tasks that it depends on are not completed. Returns its id.",
    category: "system",
    parameters,
    annotations: changing,
    verify: "list the tasks of the project, and see whether one of this title is there",
    effects: ({ attachments = [] }, context) => [
      ...changesTask(),
      ...readsAttachments(copying, attachments, context),
    ],
    async execute(params, context) {
      const { scope, trust } = context;
      const project = chooseProject(services, params.project_id);
      const by = findActor(context);
      const notes = await copyAttachments(copying, params.attachments ?? [], context);
      const task = await tasks.create({
        scope,
        projectId: project,
        title: params.title,
        priority: params.priority,
        requiresApproval: params.requires_approval,
        trust,
        notes,
        ...(by !== undefined && { by }),
        ...withoutUndefined({
          description: params.description,
          type: params.task_type,
          profileId: params.profile_id,
          workspaceId: params.preferred_workspace_id,
          dependsOn: params.depends_on,
          parentId: params.parent_task_id,
          maxRetries: params.max_retries,
          verification: params.verification_type,
          idempotencyKey: params.idempotency_key,
        }),
      });
      const warning = await warnOfOtherProject(tasks, scope, project, `${task.title}\n${task.description}`);
      const data = {
        created: task.id,
        title: task.title,
        project_id: task.projectId,
        status: task.state,
        ...(task.requiresApproval && { requires_approval: true }),
        ...withoutUndefined({
          task_type: params.task_type,
          profile_id: params.profile_id,
          preferred_workspace_id: params.preferred_workspace_id,
          warning,
        }),
        ...(notes.length > 0 && {
          attachments: notes.map(({ label, text }) => ({ path: label, artifact_id: text })),
        }),
      };
      // With a key that was used before, its title is that of another call.
      return labelledContent(data, [task]);
    },
  });
}

/** Minimum length of an id that is looked for in texts. Shorter ids are common words. */
const leastId = 3;

async function warnOfOtherProject(
  tasks: Tasks,
  scope: string,
  project: string,
  text: string,
): Promise<string | undefined> {
  const said = text.toLowerCase();
  const others = Array.from((await tasks.countByProject({ scope })).keys());
  const other = others.find((id) => {
    return id !== project && id.length >= leastId && said.includes(id.toLowerCase());
  });
  if (other === undefined) return undefined;
  return `The text mentions another project, "${other}", and the task is in "${project}"; move it with edit_task if that is wrong`;
}
