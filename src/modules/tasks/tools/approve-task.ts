import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import { TaskError } from "../store/errors.ts";
import type { TaskEvent, TaskState } from "../store/states.ts";
import type { Task } from "../store/tasks.ts";
import { changesTask } from "./effects.ts";
import { findActor } from "./find-actor.ts";
import { changing, taskId } from "./parameters.ts";
import { createPersonGate } from "./person-gate.ts";
import type { QueueServices } from "./services.ts";

const parameters = z.strictObject({ task_id: taskId });

interface ApprovedTask {
  readonly approved: string;
  readonly title: string;
}

/** The event of an approval, by the state that waits for one. */
const approvals: Readonly<Partial<Record<TaskState, TaskEvent>>> = {
  AWAITING_APPROVAL: "PR_MERGED",
  AWAITING_PLAN_APPROVAL: "PLAN_APPROVED",
};

const refusal =
  "Cannot approve a task for an agent: only a person does, by `haft tasks approve` or in the console";

const gate = createPersonGate<{ readonly task_id: string }>({
  tool: "approve_task",
  effects: ({ task_id: id }) => changesTask(id),
  findRefusal: () => refusal,
});

export function approveTaskTool({ tasks }: Pick<QueueServices, "tasks">): Tool {
  return defineTool({
    name: "approve_task",
    title: "Approve a task",
    description:
      "Say that a task that awaits approval is done, or that its plan is good. Only a person can: a call of an agent is refused.",
    category: "system",
    parameters,
    annotations: changing,
    confirm: true,
    verify: "look at the task's state",
    effects: gate.effects,
    async check(params, context) {
      await gate.check(params, context);
      requireApproval(await tasks.require(context.scope, params.task_id));
    },
    async execute(params, context): Promise<ApprovedTask> {
      const { task_id: id } = params;
      const { scope } = context;
      await gate.require(params, context);
      const event = requireApproval(await tasks.require(scope, id));
      const by = findActor(context);
      const { title } = await tasks.apply(scope, id, event, by === undefined ? {} : { by });
      return { approved: id, title };
    },
  });
}

function requireApproval({ id, state }: Task): TaskEvent {
  const event = approvals[state];
  if (event !== undefined) return event;
  throw new TaskError("QUEUE_TASK_STATE", `Task '${id}' is not awaiting approval (status: ${state})`, {
    details: { state },
  });
}
