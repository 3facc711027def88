import type { TaskView } from "../../../app/views/index.ts";
import type { Session } from "../../session.ts";
import { openTasks, requireTask, viewTasks } from "../../tasks/open-tasks.ts";
import { renderTask } from "../../tasks/task-text.ts";

const mostHistory = 20;

export async function showTask(session: Session, id: string): Promise<void> {
  const { terminal } = session;
  const open = await openTasks(session);
  const { scope } = open;
  const { tasks } = open.store;
  const task = await requireTask(open, id);
  const now = Date.now();
  const [views, edges, { children }, notes, results, newest] = await Promise.all([
    viewTasks(open, [task], now),
    tasks.edges(scope, task.id),
    tasks.tree(scope, task.id, 1),
    tasks.notes(scope, task.id),
    tasks.results(scope, task.id),
    tasks.happenings({ scope, taskId: task.id, limit: mostHistory }),
  ]);
  const view = views[0] as TaskView;
  const history = newest.toReversed();
  if (session.asJson) {
    const subtasks = children.map((child) => ({ id: child.task.id, state: child.task.state }));
    terminal.json({ ...view, subtasks, notes, results, history });
    return;
  }
  terminal.out(renderTask({ view, edges, children, notes, results, history }, terminal, now));
}
