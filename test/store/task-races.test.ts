import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { openStore, type Store } from "../../src/app/store/index.ts";
import { findNextState, type TaskEvent, type TaskState, taskEvents } from "../../src/modules/tasks/index.ts";
import { HeldProcess } from "../support/injected-fault.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-tasks-"));
afterAll(() => rmSync(folder, { recursive: true }));

const scope = "local";
const kills = Number(process.env["HAFT_TASK_KILLS"] ?? 25);

async function makeTasks(store: Store, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++)
    ids.push((await store.tasks.create({ scope, projectId: "p", title: `${at}` })).id);
  return ids;
}

/** Two processes begin at once; resolves with what each of them said. */
async function runTwo(path: string, mode: string): Promise<readonly (readonly string[])[]> {
  const both = await Promise.all(
    ["0", "1"].map((seed) => HeldProcess.start("task-steps.js", [path, mode, seed])),
  );
  for (const one of both) one.go();
  for (const one of both) await one.closed;
  return both.map((one) => one.lines);
}

test("of two processes that claim the same tasks, each task has one winner and is done once", async () => {
  const path = join(folder, "claims.db");
  await using store = await openStore({ path });
  const ids = await makeTasks(store, 120);
  const said = await runTwo(path, "claim");
  const claimed = said.flat().flatMap((line) => /^claimed (.*)$/.exec(line)?.[1] ?? []);
  for (const lines of said) expect(lines.length).toBeGreaterThan(5);
  expect(claimed.toSorted()).toEqual(ids.toSorted());
  expect(await store.tasks.count({ scope })).toEqual({ COMPLETED: 120 });
  for (const id of ids.slice(0, 20)) expect((await store.tasks.results(scope, id)).length).toBe(1);
});

test("of two connections of one process that claim the same tasks, each task has one winner", async () => {
  const path = join(folder, "connections.db");
  const stores = [await openStore({ path }), await openStore({ path }), await openStore({ path })];
  const ids = await makeTasks(stores[0] as Store, 60);
  const claimAll = async (store: Store, agentId: string) => {
    const mine: string[] = [];
    for (;;) {
      const claimed = await store.tasks.claim({ scope, agentId, leaseMs: 600_000 });
      if (claimed === undefined) return mine;
      mine.push(claimed.id);
    }
  };
  const claimed = await Promise.all(stores.map((store, at) => claimAll(store, `agent-${at}`)));
  expect(claimed.flat().toSorted()).toEqual(ids.toSorted());
  for (const store of stores) await store.close();
});

test("two processes that make tasks depend on each other at once make no cycle", async () => {
  const path = join(folder, "edges.db");
  await using store = await openStore({ path });
  await makeTasks(store, 80);
  const said = (await runTwo(path, "edges")).flat();
  expect(said.filter((line) => line.startsWith("added")).length).toBe(40);
  expect(said.filter((line) => line.startsWith("refused")).length).toBe(40);
  expect(await store.tasks.count({ scope })).toEqual({ DEFINED: 40, READY: 40 });
});

test(`tasks are in a state of the table, and no note, result or edge is lost, in ${kills} kills`, async () => {
  const path = join(folder, "kills.db");
  await (await openStore({ path })).close();
  const lines: string[] = [];
  for (let round = 0; round < kills; round++) {
    await using writer = await HeldProcess.start("task-steps.js", [path, "random", String(round)]);
    writer.go();
    const steps = 5 + ((round * 7919) % 60);
    await writer.until(() => writer.lines.length >= steps);
    writer.kill();
    await writer.closed;
    lines.push(...writer.lines);
    if (round % 25 === 24 || round === kills - 1) expectWhole(path, lines);
  }
  expect(lines.length).toBeGreaterThan(kills * 5);
  await using store = await openStore({ path });
  expect(await store.check()).toEqual([]);
}, 3_600_000);

test("what is expected after a kill notices a note, an edge and a state that is not there", async () => {
  const path = join(folder, "proof.db");
  await using store = await openStore({ path });
  const [one = "", other = ""] = await makeTasks(store, 2);
  expectWhole(path, [`task ${one}`]);
  expect(() => expectWhole(path, [`note ${one} lost`])).toThrow();
  expect(() => expectWhole(path, [`edge ${one} ${other}`])).toThrow();
  const db = new DatabaseSync(path);
  db.exec(`update task set state = 'PAUSED' where id = '${one}'`);
  db.close();
  expect(() => expectWhole(path, [])).toThrow();
});

/** Every state is what its history comes to by the table; what was acknowledged is there; nothing waits for nothing. */
function expectWhole(path: string, lines: readonly string[]): void {
  const db = new DatabaseSync(path);
  const all = <Row>(sql: string) => db.prepare(sql).all() as Row[];
  const tasks = new Map(
    all<{ id: string; state: TaskState; archived_at: number | null }>(
      "select id, state, archived_at from task",
    ).map((row) => [row.id, row]),
  );
  const states = new Map<string, TaskState>();
  for (const { task_id: id, event, from_state: from, to_state: to } of all<{
    task_id: string;
    event: string;
    from_state: TaskState | null;
    to_state: TaskState | null;
  }>("select task_id, event, from_state, to_state from task_event order by seq")) {
    if (to === null) continue;
    expect(from).toBe(states.get(id) ?? null);
    if (taskEvents.some((one) => one === event))
      expect(findNextState(from as TaskState, event as TaskEvent)).toBe(to);
    states.set(id, to);
  }
  expect(Object.fromEntries([...tasks].map(([id, { state }]) => [id, state]))).toEqual(
    Object.fromEntries(states),
  );
  const edges = all<{ task_id: string; depends_on: string }>(
    "select task_id, depends_on from task_dependency",
  );
  const kept = new Set(edges.map((edge) => `${edge.task_id} ${edge.depends_on}`));
  const removed = new Set(lines.filter((line) => line.startsWith("unedging ")).map((line) => line.slice(9)));
  const words = (begin: string) =>
    lines.filter((line) => line.startsWith(begin)).map((line) => line.slice(begin.length));
  expect(words("edge ").filter((edge) => !kept.has(edge) && !removed.has(edge))).toEqual([]);
  expect(words("task ").filter((id) => !tasks.has(id))).toEqual([]);
  const told = new Set([
    ...all<{ line: string }>("select task_id || ' ' || text as line from task_note").map(({ line }) => line),
    ...all<{ line: string }>("select task_id || ' ' || summary as line from task_result").map(
      ({ line }) => line,
    ),
  ]);
  expect([...words("note "), ...words("result ")].filter((line) => !told.has(line))).toEqual([]);
  for (const [id, { state, archived_at: archivedAt }] of tasks) {
    if (state !== "DEFINED" || archivedAt !== null) continue;
    const upstreams = edges.filter((edge) => edge.task_id === id);
    expect(upstreams.some((edge) => tasks.get(edge.depends_on)?.state !== "COMPLETED")).toBe(true);
  }
  const cycle = db
    .prepare(
      "with recursive up(id, root) as (select depends_on, task_id from task_dependency union select d.depends_on, up.root from up join task_dependency d on d.task_id = up.id) select root from up where id = root limit 1",
    )
    .get();
  expect(cycle).toBeUndefined();
  db.close();
}
