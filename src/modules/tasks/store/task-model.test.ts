import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { createRandom, expectTasksModelled } from "../../../../test/support/task-model.ts";
import { openStore, storeSchema } from "../../../app/store/index.ts";
import { systemClock } from "../../../base/index.ts";
import { openSqlite, type TypedDatabase } from "../../../db/index.ts";
import { SqlTasks } from "./sql-tasks.ts";
import type { Tables } from "./tables.ts";

test("tasks are what a plain model of them is, over 10,000 random commands", async () => {
  const seed = Number(process.env["HAFT_TASK_SEED"] ?? randomInt(2 ** 31));
  await using store = await openStore({ path: ":memory:" });
  try {
    await expectTasksModelled(store.tasks, 10_000, seed);
  } catch (cause) {
    throw new Error(`the model and the store differ: HAFT_TASK_SEED=${seed} repeats it`, { cause });
  }
}, 600_000);

async function openTasks(random: () => number, redact?: (text: string) => string) {
  const options = {
    path: ":memory:",
    schema: storeSchema,
    durability: "normal",
    busyTimeoutMs: 1000,
  } as const;
  const db: TypedDatabase<Tables> = await openSqlite({ ...options, clock: systemClock });
  return { db, tasks: new SqlTasks(db, { clock: systemClock, random, redact }) };
}

test("SqlTasks.create() adds a number where the words are taken, and never gives a name twice", async () => {
  const { db, tasks } = await openTasks(() => 0);
  const make = async () => (await tasks.create({ scope: "s", projectId: "p", title: "t" })).id;
  expect([await make(), await make()]).toEqual(["able-acorn", "able-acorn-2"]);
  await tasks.delete("s", "able-acorn-2");
  expect(await make()).toBe("able-acorn-3");
  expect((await tasks.create({ scope: "other", projectId: "p", title: "t" })).id).toBe("able-acorn");
  await db.close();
});

test("SqlTasks takes secrets out of all that it keeps", async () => {
  const { db, tasks } = await openTasks(createRandom(1), (text) => text.replaceAll("SECRET", "•"));
  const s = "a SECRET";
  const note = { kind: "feedback", label: s, text: s } as const;
  const { id } = await tasks.create({ scope: "s", projectId: "p", title: s, description: s, notes: [note] });
  await tasks.edit("s", id, { title: `new ${s}`, description: `new ${s}` });
  await tasks.apply("s", id, "ASSIGNED", { why: s, note });
  const result = { outcome: "failed", summary: s, error: s, filesChanged: [s] } as const;
  await tasks.apply("s", id, "TIMEOUT", { result, prUrl: s });
  for (const table of ["task", "task_note", "task_result", "task_event"])
    expect(JSON.stringify(db.prepare(`select * from ${table}`).all())).not.toContain("SECRET");
  expect((await tasks.require("s", id)).title).toBe("new a •");
  await db.close();
});
