import type { Queries } from "./writing.ts";

/** Maximum number of tasks that a message names of a cycle. */
const mostNamed = 12;

/** The cycle that an edge would close, as `a -> b -> a`; undefined where there is none. */
export async function nameCycle(
  db: Queries,
  scope: string,
  id: string,
  dependsOn: string,
): Promise<string | undefined> {
  if (!(await reaches(db, scope, dependsOn, id))) return undefined;
  const path = await findPath(db, scope, dependsOn, id);
  const ids = [id, ...path];
  if (ids.length <= mostNamed) return ids.join(" -> ");
  const half = mostNamed / 2;
  return [...ids.slice(0, half), `… ${ids.length - mostNamed} more …`, ...ids.slice(-half)].join(" -> ");
}

/** Whether a task depends on another, in however many steps. */
async function reaches(db: Queries, scope: string, from: string, to: string): Promise<boolean> {
  const found = await listUpstream(db, scope, from)
    .selectFrom("up")
    .select("up.id")
    .where("up.id", "=", to)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** The shortest path from a task to one that it depends on, with both ends. */
async function findPath(db: Queries, scope: string, from: string, to: string): Promise<readonly string[]> {
  const edges = await listUpstream(db, scope, from)
    .selectFrom("up")
    .crossJoin("task_dependency as edge")
    .select(["edge.task_id", "edge.depends_on"])
    .whereRef("edge.task_id", "=", "up.id")
    .where("edge.scope", "=", scope)
    .execute();
  const next = Map.groupBy(edges, (edge) => edge.task_id);
  const before = new Map<string, string | undefined>([[from, undefined]]);
  for (const id of before.keys())
    for (const { depends_on } of next.get(id) ?? []) if (!before.has(depends_on)) before.set(depends_on, id);
  const path: string[] = [];
  for (let id: string | undefined = to; id !== undefined; id = before.get(id)) path.unshift(id);
  return path;
}

/** `up`: a task, and all that it depends on. A cross join is made in the order in which it is written. */
function listUpstream(db: Queries, scope: string, id: string) {
  return db.withRecursive("up(id)", (query) =>
    query
      .selectFrom("task")
      .select("task.id")
      .where("task.scope", "=", scope)
      .where("task.id", "=", id)
      .union(
        query
          .selectFrom("up")
          .crossJoin("task_dependency")
          .select("task_dependency.depends_on as id")
          .whereRef("task_dependency.task_id", "=", "up.id")
          .where("task_dependency.scope", "=", scope),
      ),
  );
}
