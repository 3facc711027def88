import type { TaskView } from "../../../app/views/index.ts";
import type { Task } from "../../../modules/tasks/index.ts";
import { refuseAgents } from "../../asking/owner-only.ts";
import { findServing } from "../../find-serving.ts";
import type { Session } from "../../session.ts";
import { callTaskTool, openTaskTools } from "../../tasks/call-task-tool.ts";
import { chooseCall, type TaskAction } from "../../tasks/choose-call.ts";
import { findWork, type OpenTasks, openTasks, viewTasks } from "../../tasks/open-tasks.ts";
import { describeState } from "../../tasks/task-words.ts";

export interface ChangeOptions {
  readonly yes?: boolean;
}

/** Says how a task stands after each action. */
const outcomes: Readonly<Record<TaskAction, (view: TaskView) => string>> = {
  stop: ({ id }) => `is stopped; \`haft tasks retry ${id}\` does it once more`,
  retry: (view) => `is to be done once more: ${describeState(view)}`,
  approve: (view) => `is approved: ${describeState(view)}`,
  skip: () => "is skipped",
  archive: ({ id }) => `is archived; \`haft tasks restore ${id}\` brings it back`,
  restore: (view) => `is back from the archive: ${describeState(view)}`,
};

/** @param words For a retry: what the next attempt is told. */
export async function changeTask(
  session: Session,
  action: TaskAction,
  id: string,
  { yes = false, words = "" }: ChangeOptions & { readonly words?: string },
): Promise<void> {
  if (action === "approve") await refuseAgents("approve a task");
  const open = await openTasks(session);
  const { tasks } = open.store;
  const worked = await findWork(open, id);
  const { task } = worked;
  const before = await tasks.edges(open.scope, task.id);
  const call = chooseCall(action, worked, words);
  const { app } = await openTaskTools(session, call.profile);
  if ((await callTaskTool(session, app, call, { yes })) === undefined) return;
  const [view] = await viewTasks(open, [await tasks.require(open.scope, task.id)], Date.now());
  const freed = await findFreed(open, before.blocks);
  tell(session, { view: view as TaskView, action, freed });
  if (action === "retry" && !session.asJson) await tellWhoGoesOn(session, open, task.id);
}

/** Says which process does an agent's task again. */
async function tellWhoGoesOn(session: Session, open: OpenTasks, id: string): Promise<void> {
  const { run } = await findWork(open, id);
  if (run === undefined) return;
  const isServed = (await findServing(session, run.project)) !== undefined;
  session.terminal.err(
    isServed
      ? "The haft that works in the background does it\n"
      : `\`haft tasks resume ${id}\` does it here, \`haft serve\` in the background\n`,
  );
}

/** The ids of the given tasks that were waiting and are ready now. */
async function findFreed({ store, scope }: OpenTasks, waiting: readonly Task[]): Promise<readonly string[]> {
  const waited = waiting.filter(({ state }) => state === "DEFINED");
  const now = await Promise.all(waited.map(({ id }) => store.tasks.get(scope, id)));
  return now.flatMap((task) => (task?.state === "READY" ? [task.id] : []));
}

interface Changed {
  readonly view: TaskView;
  readonly action: TaskAction;
  readonly freed: readonly string[];
}

function tell({ terminal, asJson }: Session, { view, action, freed }: Changed): void {
  if (asJson) {
    terminal.json({ ...view, freed });
    return;
  }
  terminal.out(`${view.id} ${outcomes[action](view)}\n`);
  if (freed.length > 0) terminal.out(`${freed.join(", ")} ${freed.length === 1 ? "is" : "are"} ready now\n`);
}
