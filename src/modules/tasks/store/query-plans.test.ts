import { DatabaseSync, type StatementSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { openStore, type Store } from "../../../app/store/index.ts";

const scope = "local";
type Prepare = (this: DatabaseSync, sql: string) => StatementSync;
/** The method without its spy. */
const prepare = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, "prepare")?.value as Prepare;

/** How SQLite finds the rows of each query that some work asks, whatever the tables hold. */
async function listPlans(work: (store: Store) => Promise<unknown>): Promise<readonly string[]> {
  const asked: [DatabaseSync, string][] = [];
  const spy = vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (
    this: DatabaseSync,
    sql: string,
  ) {
    asked.push([this, sql]);
    return prepare.call(this, sql);
  });
  await using store = await openStore({ path: ":memory:" });
  await store.warm();
  asked.splice(0);
  await work(store);
  spy.mockRestore();
  return asked
    .filter(([, sql]) => /^\s*(select|with)/i.test(sql))
    .flatMap(([db, sql]) =>
      prepare
        .call(db, `explain query plan ${sql}`)
        .all()
        .map(({ detail }) => String(detail)),
    )
    .filter((detail) => /^(SCAN|SEARCH)/.test(detail));
}

test("no list, count or chain of tasks reads a table whole", async () => {
  const plans = await listPlans(async ({ tasks, taskRuns }) => {
    const { id } = await tasks.create({ scope, projectId: "p", title: "t" });
    for (const projectId of [undefined, "p"]) {
      const part = { scope, ...(projectId !== undefined && { projectId }) };
      for (const archived of [false, true]) {
        await tasks.list({ ...part, archived });
        await tasks.count({ ...part, archived });
        await tasks.countByProject({ ...part, archived });
      }
      await tasks.list({ ...part, cursor: "100.1" });
      await tasks.findStuck(part);
      await tasks.happenings(part);
    }
    await tasks.happenings({ scope, taskId: id });
    await tasks.edges(scope, id);
    await tasks.tree(scope, id);
    await tasks.notes(scope, id);
    await tasks.results(scope, id);
    await tasks.claim({ scope, agentId: "ada", leaseMs: 60_000 });
    await taskRuns.list({ scope, since: 0, until: 1, limit: 50 });
    await taskRuns.listLive(scope, "s");
  });
  expect(plans.length).toBeGreaterThan(40);
  // The rows of a recursive query are walked, and no table.
  expect(plans.filter((plan) => plan.startsWith("SCAN") && !/^SCAN (below|down)\b/.test(plan))).toEqual([]);
});

test("the tasks of agents are found by their day, and subtasks in the order of lists", async () => {
  const day = await listPlans(({ taskRuns }) => taskRuns.list({ scope, since: 0, until: 1, limit: 50 }));
  expect(day[0]).toMatch(/USING INDEX task_started \(scope=\? AND created_at>\? AND created_at<\?\)/);
  const subtasks = await listPlans(({ tasks }) => tasks.count({ scope, parentId: "t" }));
  expect(subtasks.at(-1)).toMatch(
    /USING COVERING INDEX task_parent \(scope=\? AND parent_id=\? AND archived_at=\? AND state=\?\)/,
  );
});

test("stopped tasks are found in an index, and for each the few that wait for it", async () => {
  const plans = await listPlans(({ tasks }) => tasks.findStuck({ scope }));
  expect(plans).toEqual([
    expect.stringMatching(/^SEARCH task USING INDEX \S+ \(scope=\? AND id=\?\)/),
    expect.stringMatching(/^SEARCH stopped USING COVERING INDEX task_standing/),
    expect.stringMatching(/^SEARCH edge USING COVERING INDEX task_dependant \(scope=\? AND depends_on=\?\)/),
    expect.stringMatching(/^SEARCH waiting USING INDEX \S+ \(scope=\? AND id=\?\)/),
  ]);
});

test("the questions of a run are found by the ids of its calls", async () => {
  const plans = await listPlans(async ({ sessions, runs }) => {
    const { id: sessionId } = await sessions.open({ scope, agentId: "main", channel: "test" });
    const { id } = await runs.begin({ scope, kind: "task", sessionId });
    await runs.stop(scope, id, "stopped");
  });
  expect(plans).toContainEqual(
    expect.stringMatching(
      /^SEARCH approval USING INDEX approval_asker \(scope=\? AND call_id>\? AND call_id<\?\)/,
    ),
  );
});
