import { z } from "zod";
import { withoutUndefined } from "../../../../base/index.ts";
import { defineTool, type Tool, type ToolContext } from "../../../../kernel/index.ts";
import { TaskError } from "../../store/errors.ts";
import { findNextState, type TaskEvent, type TaskState } from "../../store/states.ts";
import type { Task, Tasks } from "../../store/tasks.ts";
import { changesTask } from "../effects.ts";
import { describeActor, findActor } from "../find-actor.ts";
import {
  changing,
  longText,
  maxRetries,
  named,
  priority,
  taskId,
  taskType,
  title,
  verification,
} from "../parameters.ts";
import { createPersonGate, findUnapproved, unapprovedRisk } from "../person-gate.ts";
import { findBypassed } from "../restart.ts";
import type { QueueServices } from "../services.ts";

const parameters = z.strictObject({
  task_id: taskId,
  project_id: named.optional().describe("Moves the task to this project"),
  title: title.optional(),
  description: longText.optional().describe("The whole new description"),
  priority: priority.optional().describe("Lower comes first"),
  task_type: taskType.nullable().optional().describe("The kind of work; null clears it"),
  status: z
    .enum(["DEFINED", "READY", "IN_PROGRESS", "COMPLETED", "FAILED", "BLOCKED"])
    .optional()
    .describe(
      "Forces a state: READY restarts a task, COMPLETED skips one that is blocked or failed, BLOCKED stops one in progress",
    ),
  max_retries: maxRetries.optional(),
  verification_type: verification.optional().describe("Who checks that it is done"),
  profile_id: named
    .nullable()
    .optional()
    .describe("The profile of the agent that is to do it; null clears it"),
});

type Params = z.output<typeof parameters>;

export function editTaskTool({ tasks }: QueueServices): Tool {
  const gate = createPersonGate<Params>({
    tool: "edit_task",
    effects: ({ task_id: id }) => changesTask(id),
    risk: unapprovedRisk,
    async findRefusal(params, scope) {
      const unapproved = await findLoosened(tasks, scope, params);
      if (unapproved === undefined) return undefined;
      return `Cannot change task '${params.task_id}' in this way for an agent: a person has to look at '${unapproved.id}' before others go on; a person can change it, with \`haft call edit_task\``;
    },
  });
  return defineTool({
    name: "edit_task",
    title: "Change a task",
    description:
      "Change fields of a task, or force its state. A task in progress can't be moved to another project.",
    category: "system",
    parameters,
    annotations: { ...changing, idempotent: true },
    effects: gate.effects,
    check: gate.check,
    async execute(params, context) {
      const { scope, trust } = context;
      const { task_id: id, status } = params;
      const fields = readFields(params);
      const names = Object.keys(params).filter((key) => key !== "task_id" && key !== "status");
      if (names.length === 0 && status === undefined)
        throw new TaskError(
          "QUEUE_NOTHING_TO_CHANGE",
          "No fields to update. Provide project_id, title, description, priority, task_type, status, max_retries, verification_type or profile_id",
        );
      const before = await tasks.require(scope, id);
      await gate.require(params, context);
      const event = status === undefined ? undefined : chooseEvent(before, status);
      const by = findActor(context);
      if (names.length > 0) await tasks.edit(scope, id, { ...fields, trust }, by);
      const after =
        event === undefined ? before : await tasks.apply(scope, id, event, toChange(event, context));
      return {
        updated: id,
        fields: [...names, ...(status === undefined ? [] : ["status"])],
        ...(event !== undefined && { status_change: `${before.state} -> ${after.state}` }),
      };
    },
  });
}

function readFields(params: Params) {
  return withoutUndefined({
    projectId: params.project_id,
    title: params.title,
    description: params.description,
    priority: params.priority,
    type: params.task_type,
    verification: params.verification_type,
    maxRetries: params.max_retries,
    profileId: params.profile_id,
  });
}

/** Finds a task that a person has to look at, and that is completed, or passed over, without one after the change. */
async function findLoosened(
  tasks: Tasks,
  scope: string,
  { task_id: id, status, verification_type: wanted }: Params,
): Promise<Task | undefined> {
  const before = await tasks.get(scope, id);
  if (before === undefined) return undefined;
  if (before.verification === "human" && wanted !== undefined && wanted !== "human") return before;
  const event = status === undefined ? undefined : forcing[status];
  if (event === undefined || findNextState(before.state, event) === undefined) return undefined;
  if (event === "ADMIN_SKIP") return findUnapproved(tasks, scope, [before]);
  return event === "ADMIN_RESTART" ? findBypassed(tasks, before) : undefined;
}

/** The administrative event that leads to a state. */
const forcing: Readonly<Partial<Record<TaskState, TaskEvent>>> = {
  READY: "ADMIN_RESTART",
  COMPLETED: "ADMIN_SKIP",
  BLOCKED: "ADMIN_STOP",
};

/**
 * The event that forces a state; undefined where the task is in it already.
 *
 * @throws {TaskError} QUEUE_TASK_STATE
 */
function chooseEvent({ id, state }: Task, wanted: TaskState): TaskEvent | undefined {
  if (state === wanted) return undefined;
  const event = forcing[wanted];
  if (event !== undefined && findNextState(state, event) !== undefined) return event;
  throw new TaskError(
    "QUEUE_TASK_STATE",
    `Cannot force task '${id}' from ${state} to ${wanted}: ${remedies[wanted] ?? "nothing leads there by force"}`,
    { details: { state, wanted } },
  );
}

const remedies: Readonly<Partial<Record<TaskState, string>>> = {
  DEFINED: "a task is defined while tasks that it depends on are not completed; use add_dependency",
  READY: "stop it first with stop_task",
  IN_PROGRESS: "a task is in progress once somebody took it; use claim_task",
  COMPLETED: "only blocked and failed tasks can be skipped; use complete_task with the lease of claim_task",
  FAILED: "a task fails by its result; use complete_task with outcome failed",
  BLOCKED: "only a task in progress can be stopped",
};

function toChange(event: TaskEvent, context: ToolContext) {
  const by = findActor(context);
  return {
    ...(by !== undefined && { by }),
    why: `its state was set ${describeActor(context)}`,
    ...(event === "ADMIN_RESTART" && { retries: 0, agentId: null, runId: null }),
    ...(event === "ADMIN_STOP" && { result: { outcome: "stopped" as const } }),
  };
}
