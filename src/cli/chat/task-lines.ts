import type { App } from "../../app/index.ts";
import { readTaskViews } from "../../app/views/index.ts";
import { defaultAgent } from "../../kernel/index.ts";
import type { Runs } from "../../modules/sessions/index.ts";
import type { Task, Tasks } from "../../modules/tasks/index.ts";
import { followTasks } from "../tasks/task-news.ts";
import { describeNews, type NewsHerald } from "../tasks/tell-news.ts";

export interface TaskLinesOptions {
  readonly app: App;
  /** The agent of the chat, which may change. */
  readonly agentId: () => string;
  readonly say: (line: string) => void;
  readonly herald: NewsHerald;
  readonly signal: AbortSignal;
}

/** Says a line for each task of the chat's agent that is over, or waits for a person, until the signal is aborted. */
export async function tellTasks({ app, agentId, say, herald, signal }: TaskLinesOptions): Promise<void> {
  const from = Date.now();
  const store = await app.store();
  const scope = app.context.scope ?? "local";
  const source = { tasks: store.tasks, records: await app.records(), scope };
  try {
    for await (const { task } of followTasks(source, { from, signal })) {
      if (!(await isOfAgent(store, task, agentId()))) continue;
      const now = Date.now();
      for (const view of await readTaskViews(store, [task], { scope, now })) {
        const line = describeNews(view, now);
        say(line);
        await herald.announce(line);
      }
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
}

interface TaskOrigins {
  readonly tasks: Pick<Tasks, "happenings">;
  readonly runs: Pick<Runs, "get">;
}

/** Whether a run of this agent began the task, or the agent created it. */
async function isOfAgent({ tasks, runs }: TaskOrigins, task: Task, agentId: string): Promise<boolean> {
  const { scope, id, runId } = task;
  const run = runId === undefined ? undefined : await runs.get(scope, runId);
  if (run !== undefined) return (await runs.get(scope, run.rootId))?.agentId === agentId;
  const [created] = await tasks.happenings({ scope, taskId: id, since: 0, limit: 1 });
  // An agent without a file or configuration is recorded by the name of its channel.
  const names = agentId === defaultAgent ? [agentId, "agent"] : [agentId];
  return created?.event === "CREATED" && names.includes(created.by ?? "");
}
