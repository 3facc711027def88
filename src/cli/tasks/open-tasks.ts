import type { App } from "../../app/index.ts";
import type { Store } from "../../app/store/index.ts";
import { readTaskViews, type TaskView } from "../../app/views/index.ts";
import { type Task, TaskError } from "../../modules/tasks/index.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";
import type { WorkedTask } from "./choose-call.ts";

/** The tasks of an installation, opened to be read. */
export interface OpenTasks {
  readonly app: App;
  readonly store: Store;
  readonly scope: string;
}

export async function openTasks(session: Session): Promise<OpenTasks> {
  const app = await session.openApp();
  session.warn(app.loaded.warnings);
  const store = await app.store();
  // Otherwise requests of killed programs would count as under way.
  await store.usage.recover();
  return { app, store, scope: app.context.scope ?? "local" };
}

/** Says how some tasks stand now, in their order. */
export function viewTasks(
  { store, scope }: OpenTasks,
  tasks: readonly Task[],
  now: number,
): Promise<readonly TaskView[]> {
  return readTaskViews(store, tasks, { scope, now });
}

/**
 * Finds the task of an id.
 *
 * @throws {CliError} CLI_NOT_FOUND names the nearest ids.
 */
export async function requireTask({ store, scope }: OpenTasks, id: string): Promise<Task> {
  try {
    return await store.tasks.require(scope, id);
  } catch (cause) {
    if (!(cause instanceof TaskError) || cause.code !== "QUEUE_TASK_UNKNOWN") throw cause;
    const nearest = cause.details?.["nearest"];
    const hint = Array.isArray(nearest) && nearest.length > 0 ? `did you mean ${nearest.join(" or ")}` : "";
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot find a task "${id}"; ${hint === "" ? "`haft tasks --all` lists them" : hint}`,
      { cause },
    );
  }
}

/**
 * Finds the task of an id, and the run that works on it or did last.
 *
 * @throws {CliError} CLI_NOT_FOUND
 */
export async function findWork(open: OpenTasks, id: string): Promise<WorkedTask> {
  const task = await requireTask(open, id);
  const run = task.runId === undefined ? undefined : await open.store.runs.get(open.scope, task.runId);
  return { task, run };
}
