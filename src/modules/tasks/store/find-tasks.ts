import { nearestNames } from "../../../base/index.ts";
import { filledUp } from "../../../db/index.ts";
import { TaskError } from "./errors.ts";
import type { TaskRow } from "./tables.ts";
import type { Queries } from "./writing.ts";

/** Maximum number of ids in one statement. */
const idsAtOnce = 400;
const sizeStep = 50;
/** Maximum number of ids that an unknown one is compared to. */
const mostCompared = 500;

export function findTask(db: Queries, scope: string, id: string): Promise<TaskRow | undefined> {
  return db.selectFrom("task").selectAll().where("scope", "=", scope).where("id", "=", id).executeTakeFirst();
}

/** The task that a run works on, or did last. */
export function findTaskByRun(db: Queries, scope: string, runId: string): Promise<TaskRow | undefined> {
  return db
    .selectFrom("task")
    .selectAll()
    .where("scope", "=", scope)
    .where("run_id", "=", runId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** @throws {TaskError} QUEUE_TASK_UNKNOWN names the three nearest ids. */
export async function requireTask(db: Queries, scope: string, id: string): Promise<TaskRow> {
  const row = await findTask(db, scope, id);
  if (row !== undefined) return row;
  const nearest = await findNearest(db, scope, id);
  const hint = nearest.length === 0 ? "list_tasks has them all" : `did you mean ${nearest.join(", ")}?`;
  throw new TaskError("QUEUE_TASK_UNKNOWN", `Task '${id}' not found: ${hint}`, {
    details: { taskId: id, nearest },
  });
}

/** The tasks of these ids that exist, in the order of their ids. */
export async function findTasks(
  db: Queries,
  scope: string,
  ids: readonly string[],
): Promise<readonly TaskRow[]> {
  const found = new Map<string, TaskRow>();
  for (const part of splitIds(ids)) {
    const rows = db.selectFrom("task").selectAll().where("scope", "=", scope).where("id", "in", part);
    for (const row of await rows.execute()) found.set(row.id, row);
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Splits ids into chunks of few sizes, so that there are few prepared statements. A chunk may repeat an id. */
export function* splitIds(ids: readonly string[]): Generator<readonly string[], void> {
  for (let start = 0; start < ids.length; start += idsAtOnce)
    yield fillUp(ids.slice(start, start + idsAtOnce));
}

function fillUp<Value>(values: readonly Value[]): readonly Value[] {
  const [first] = values;
  return first === undefined ? values : filledUp(values, sizeStep, first);
}

/** Suggests ids among those that begin alike and the newest ones. */
async function findNearest(db: Queries, scope: string, id: string): Promise<readonly string[]> {
  const begin = id.slice(0, 2).toLowerCase();
  const ids = db.selectFrom("task").select("id").where("scope", "=", scope).limit(mostCompared);
  const alike =
    begin === "" ? [] : await ids.where("id", ">=", begin).where("id", "<", `${begin}\uffff`).execute();
  const newest = await ids.orderBy("seq", "desc").execute();
  return nearestNames(id, new Set([...alike, ...newest].map((row) => row.id)));
}

/** The tasks with these `seq`, in their order. */
export async function findTasksByNumber(db: Queries, seqs: readonly number[]): Promise<readonly TaskRow[]> {
  const found = new Map<number, TaskRow>();
  for (let start = 0; start < seqs.length; start += idsAtOnce) {
    const part = fillUp(seqs.slice(start, start + idsAtOnce));
    for (const row of await db.selectFrom("task").selectAll().where("seq", "in", part).execute())
      found.set(row.seq, row);
  }
  return seqs.flatMap((seq) => found.get(seq) ?? []);
}
