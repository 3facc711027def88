import type { Session } from "../../session.ts";
import { openTasks, viewTasks } from "../../tasks/open-tasks.ts";
import { followTasks } from "../../tasks/task-news.ts";
import { describeNews, NewsHerald } from "../../tasks/tell-news.ts";

export interface WatchOptions {
  readonly project?: string;
  readonly notify?: boolean;
}

/** Prints a line for each task that is over, or waits for a person, as it comes. Ends with Ctrl-C. */
export async function watchTasks(session: Session, { project, notify }: WatchOptions): Promise<void> {
  const { terminal, signal } = session;
  const from = Date.now();
  const open = await openTasks(session);
  const { scope } = open;
  const source = { tasks: open.store.tasks, records: await open.app.records(), scope };
  const herald = new NewsHerald(terminal, notify === true);
  terminal.err("Waiting for tasks that are done, fail or wait for you; Ctrl-C ends\n");
  try {
    for await (const { task, happening } of followTasks(source, { from, signal })) {
      if (project !== undefined && task.projectId !== project) continue;
      const now = Date.now();
      for (const view of await viewTasks(open, [task], now)) {
        const line = describeNews(view, now);
        if (session.asJson) terminal.jsonLine({ ...view, happening });
        else terminal.out(`${terminal.foreign(line)}\n`);
        await herald.announce(line);
      }
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
}
