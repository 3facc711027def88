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
  const hidden = query.notStates === undefined ? 0 : await countCompleted(open, options);
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

async function countCompleted({ store, scope }: OpenTasks, { project }: SelectionOptions): Promise<number> {
  const counts = await store.tasks.count({
    scope,
    states: ["COMPLETED"],
    ...(project !== undefined && { projectId: project }),
  });
  return counts.COMPLETED ?? 0;
}

function describeRest(
  listed: number,
  hidden: number,
  { state, project, archived }: SelectionOptions,
): string {
  const more =
    hidden === 0
      ? ""
      : `; --all lists ${hidden === 1 ? "one" : hidden} that ${hidden === 1 ? "is" : "are"} done`;
  if (listed > 0) return `\`haft tasks show ID\` says more of one${more}\n`;
  if (archived === true) return "No task is in the archive\n";
  if (state !== undefined || project !== undefined) return `No task is like that${more}\n`;
  if (hidden > 0) return `No task is open${more}\n`;
  return 'There are no tasks: `haft tasks add "…"` makes one, and agents do, by create_task and spawn_task\n';
}
