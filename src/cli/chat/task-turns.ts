import type { RunEnd } from "../../agent/index.ts";
import type { App } from "../../app/index.ts";
import type { TaskDriver } from "../../app/tasks/index.ts";
import type { Approver } from "../../kernel/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import type { Session } from "../session.ts";

/** What a command drives the tasks of its conversation with. */
export interface TaskTurnOptions {
  readonly approver?: Approver;
}

/** Puts one question after the other: runs side by side have one person to ask. */
export function askInTurn(approver: Approver): Approver {
  let last: Promise<unknown> = Promise.resolve();
  return {
    identity: approver.identity,
    ask: (approval, signal) => {
      const asked = last.then(() => approver.ask(approval, signal));
      last = asked.catch(() => undefined);
      return asked;
    },
  };
}

/** Opens the driver of the tasks that runs of a command start. */
export async function openTaskDriver(
  session: Session,
  app: App,
  { approver }: TaskTurnOptions,
): Promise<TaskDriver> {
  const { TaskDriver } = await import("../../app/tasks/index.ts");
  return new TaskDriver(app, {
    onError: (error) => session.note(error),
    ...(approver !== undefined && { approver }),
  });
}

/**
 * Drives a run, and then the turns in which its agent reads how its tasks ended, until none is under way that goes on by
 * itself.
 */
export async function driveWithTasks(
  tasks: TaskDriver,
  first: Run,
  { drive, signal }: { readonly drive: (run: Run) => Promise<RunEnd>; readonly signal: AbortSignal },
): Promise<{ readonly run: Run; readonly end: RunEnd }> {
  await tasks.add(first.sessionId);
  let run = first;
  let end = await drive(run);
  while (end.state === "completed") {
    const next = await tasks.next(run.sessionId, signal);
    if (next === undefined) break;
    run = next;
    end = await drive(run);
  }
  return { run, end };
}

/** Says which tasks a command leaves, and what becomes of them. */
export async function describeLeft(
  tasks: TaskDriver,
  sessionId: string,
  resume: string,
): Promise<string | undefined> {
  const open = await tasks.listOpen(sessionId);
  if (open.length === 0) return undefined;
  const asking = open.filter(({ state, why }) => state === "parked" && why === "approval").length;
  const paused = open.filter(({ state }) => state === "paused").length;
  const rest = open.length - asking - paused;
  const parts = [
    ...(rest > 0 ? [`${count(rest)} under way`] : []),
    ...(asking > 0 ? [`${count(asking)} waiting for an answer (\`haft approvals\`)`] : []),
    ...(paused > 0 ? [`${count(paused)} paused`] : []),
  ];
  return `It leaves ${parts.join(", ")}: \`haft serve\` goes on with what needs no answer, and so does \`${resume} ${sessionId}\`; \`haft tasks\` lists and stops them`;
}

function count(tasks: number): string {
  return tasks === 1 ? "1 task" : `${tasks} tasks`;
}
