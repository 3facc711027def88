import { checkWhole } from "./limits.ts";
import { toHappening } from "./task-row.ts";
import type { TaskHappening, Tasks } from "./tasks.ts";
import type { Queries } from "./writing.ts";

/** Lists the newest changes first, or those after one, oldest first. @throws {RangeError} */
export async function listHappenings(
  db: Queries,
  { scope, projectId, taskId, since, limit = 10 }: Parameters<Tasks["happenings"]>[0],
): Promise<readonly TaskHappening[]> {
  checkWhole("limit", limit, 1, 1_000);
  let rows = db.selectFrom("task_event").selectAll().where("scope", "=", scope);
  if (projectId !== undefined) rows = rows.where("project_id", "=", projectId);
  if (taskId !== undefined) rows = rows.where("task_id", "=", taskId);
  if (since !== undefined) rows = rows.where("seq", ">", since);
  const found = await rows
    .orderBy("seq", since === undefined ? "desc" : "asc")
    .limit(limit)
    .execute();
  return found.map(toHappening);
}
