import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore, type Store } from "../src/app/store/index.ts";
import { type Figures, runBench } from "./harness.ts";

// Measures tasks among 100,000 others and in a chain of 10,000: node bench/tasks.ts

const scope = "local";
const many = 100_000;
const long = 10_000;
const states = ["READY", "DEFINED", "COMPLETED", "COMPLETED", "COMPLETED", "BLOCKED", "COMPLETED", "FAILED"];
const description = "What is to be done, in a few words that somebody wrote down. ".repeat(8);

/** A store with many tasks, and a chain of tasks that wait for the blocked task `chain-0`. */
async function withTasks(work: (store: Store, raw: DatabaseSync) => Promise<Figures>): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "haft-bench-tasks-"));
  const path = join(folder, "haft.db");
  const store = await openStore({ path });
  const raw = new DatabaseSync(path);
  try {
    await store.warm();
    raw.exec("pragma synchronous = normal; begin");
    const task = raw.prepare(insertTask);
    const event = raw.prepare(insertEvent);
    const edge = raw.prepare(
      "insert into task_dependency (scope, task_id, depends_on) values ('local', ?, ?)",
    );
    const add = (id: string, project: string, priority: number, state: string) => {
      task.run(id, project, `Title of ${id}`, priority, state, description);
      event.run(id, project);
    };
    for (let at = 0; at < many; at++)
      add(`task-${at}`, `project-${at % 20}`, 100 + (at % 5), states[at % states.length] as string);
    for (let at = 0; at <= long; at++) {
      add(`chain-${at}`, "chain", 100, at === 0 ? "BLOCKED" : "DEFINED");
      if (at > 0) edge.run(`chain-${at}`, `chain-${at - 1}`);
    }
    raw.exec("commit");
    return await work(store, raw);
  } finally {
    raw.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const insertTask =
  "insert into task (scope, id, project_id, title, priority, state, description, verification, requires_approval, retries, max_retries, is_plan_subtask, trust, version, created_at, changed_at, state_at) values ('local', ?, ?, ?, ?, ?, ?, 'auto_test', 0, 0, 3, 0, 'trusted', 1, 0, 0, 0)";
const insertEvent =
  "insert into task_event (scope, task_id, project_id, event, to_state, at) values ('local', ?, ?, 'CREATED', 'READY', 0)";

async function time(rounds: number, work: (round: number) => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    await work(round);
    times.push(performance.now() - begin);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] as number;
}

function measure(): Promise<Figures> {
  return withTasks(async ({ tasks }) => ({
    "create, ms": await time(300, (at) =>
      tasks.create({ scope, projectId: "project-1", title: `New ${at}`, description }),
    ),
    "list 200 of 100,000, ms": await time(15, () => tasks.list({ scope, notStates: ["COMPLETED"] })),
    "list 200 of a project, ms": await time(15, () => tasks.list({ scope, projectId: "project-3" })),
    "claim, ms": await time(100, () => tasks.claim({ scope, agentId: "a", leaseMs: 600_000 })),
    "chain of 10,000, ms": await time(9, () => tasks.findStuck({ scope, id: "chain-0" })),
  }));
}

/** One insert in a transaction of its own, and plain queries. */
function measureFloor(): Promise<Figures> {
  return withTasks(async (_store, raw) => {
    const task = raw.prepare(insertTask);
    const list = raw.prepare(
      "select * from task where scope = 'local' and archived_at is null and state = 'READY' order by priority, seq limit 200",
    );
    const chain = raw.prepare(
      "with recursive down(id) as (select 'chain-0' union select d.task_id from down cross join task_dependency d where d.scope = 'local' and d.depends_on = down.id) select count(*) from down",
    );
    return {
      "create, ms": await time(300, (at) =>
        task.run(`new-${at}`, "project-1", "New", 100, "READY", description),
      ),
      "list 200 of 100,000, ms": await time(15, () => list.all()),
      "chain of 10,000, ms": await time(9, () => chain.get()),
    };
  });
}

const paths = ["src/modules/tasks/store", "src/modules/tasks/migrations", "src/db/sqlite"];
const row = (what: string, figure: string, reach: string) => ({
  what,
  figure,
  ours: "haft",
  floor: "floor: node:sqlite",
  reach,
  paths,
});

await runBench(import.meta.url, [
  {
    title: "Tasks among 100,000, and in a chain of 10,000",
    rows: [
      row("creating a task among 100,000", "create, ms", "≤ 1 ms"),
      row("listing 200 of 100,000 tasks", "list 200 of 100,000, ms", "≤ 10 ms"),
      row("what waits for a blocked task, in a chain of 10,000", "chain of 10,000, ms", "≤ 50 ms"),
    ],
    subjects: [
      { name: "haft", measure },
      { name: "floor: node:sqlite", measure: measureFloor },
    ],
  },
]);
