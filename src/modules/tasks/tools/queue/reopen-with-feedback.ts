import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import type { NewTaskNote, Task } from "../../store/tasks.ts";
import { describeActor } from "../find-actor.ts";
import { changing, longText, taskId } from "../parameters.ts";
import { createRestartGate, restart } from "../restart.ts";
import type { QueueServices } from "../services.ts";

const parameters = z.strictObject({
  task_id: taskId,
  feedback: longText.describe("What has to be done otherwise. Whoever takes the task next reads it."),
});

/** States of tasks that were not begun yet: they get the feedback and keep their state. */
const waiting: readonly string[] = ["DEFINED", "READY"] satisfies readonly Task["state"][];

export function reopenWithFeedbackTool(services: QueueServices): Tool {
  const { tasks } = services;
  const gate = createRestartGate<z.output<typeof parameters>>(
    tasks,
    "reopen_with_feedback",
    ({ state }) => !waiting.includes(state),
  );
  return defineTool({
    name: "reopen_with_feedback",
    title: "Reopen a task",
    description:
      "Put a task back to READY with feedback, which is shown with its description. A task in progress has to be stopped first.",
    category: "system",
    parameters,
    annotations: changing,
    verify: "look at the task, and see whether it has this feedback",
    effects: gate.effects,
    check: gate.check,
    async execute(params, context) {
      const { task_id: id, feedback } = params;
      await gate.require(params, context);
      const { scope, trust } = context;
      const note: NewTaskNote = { kind: "feedback", text: feedback, trust };
      const before = await tasks.require(scope, id);
      let after = before;
      if (waiting.includes(before.state)) await tasks.addNote(scope, id, note);
      else
        ({ after } = await restart(
          services,
          id,
          { why: `reopened with feedback ${describeActor(context)}`, note, prUrl: null },
          context,
        ));
      const data = {
        reopened: id,
        title: after.title,
        previous_status: before.state,
        status: after.state,
        feedback_added: true,
        requires_approval: after.requiresApproval,
      };
      return labelledContent(data, [after]);
    },
  });
}
