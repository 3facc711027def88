import type { Session } from "../../session.ts";
import { type OpenTasks, openTasks, viewTasks } from "../../tasks/open-tasks.ts";
import { type SelectionOptions, toQuery } from "../../tasks/selection.ts";
import { renderTasks } from "../../tasks/task-table.ts";

export interface ListOptions extends SelectionOptions {
  readonly limit: number;
  readonly after?: string;
}

export async function listTasks(session: Session, options: ListOptions): Promise<void> {
  const { terminal } = session;
  const open = await openTasks(session);
  const { limit, after } = options;
  const query = toQuery(open.scope, options);
  const page = await open.store.tasks.list({
    ...query,
    limit,
    ...(after !== undefined && { cursor: after }),
  });
  const now = Date.now();
  const tasks = await viewTasks(open, page.tasks, now);
  const hidden = await countHidden(open, options);
  if (session.asJson) {
    terminal.json({ ...page, tasks, hiddenCompleted: hidden });
    return;
  }
  if (tasks.length > 0)
    terminal.out(
      renderTasks(
        tasks.map((view) => ({ view })),
        terminal,
        now,
      ),
    );
  if (page.next !== undefined)
    terminal.err(`These are ${tasks.length} of ${page.total}; the next: --after ${page.next}\n`);
  terminal.err(describeRest(tasks.length, hidden, options));
}

/** How many completed tasks a selection leaves out. */
export async function countHidden({ store, scope }: OpenTasks, options: SelectionOptions): Promise<number> {
  if (toQuery(scope, options).notStates === undefined) return 0;
  const { project } = options;
  const counts = await store.tasks.count({
    scope,
    states: ["COMPLETED"],
    ...(project !== undefined && { projectId: project }),
  });
  return counts.COMPLETED ?? 0;
}

function describeRest(listed: number, hidden: number, options: SelectionOptions): string {
  if (listed === 0) return describeNone(hidden, options);
  return `\`haft tasks show ID\` says more of one${describeHidden(hidden)}\n`;
}

function describeHidden(hidden: number): string {
  if (hidden === 0) return "";
  return `; --all lists ${hidden === 1 ? "one" : hidden} that ${hidden === 1 ? "is" : "are"} done`;
}

/** Says why no task is listed. */
export function describeNone(hidden: number, { state, project, archived }: SelectionOptions): string {
  const more = describeHidden(hidden);
  if (archived === true) return "No task is in the archive\n";
  if (state !== undefined || project !== undefined) return `No task is like that${more}\n`;
  if (hidden > 0) return `No task is open${more}\n`;
  return 'There are no tasks: `haft tasks add "…"` makes one, and agents do, by create_task and spawn_task\n';
}
