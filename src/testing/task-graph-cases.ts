import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { Tasks } from "../modules/tasks/index.ts";
import type { ContractCase } from "./contract-case.ts";
import { bring, isCode, listEvents, listStates, make, makeIn, scope } from "./task-steps.ts";

/** Cases of trees, chains, the archive and the history. */
export const taskGraphCases: readonly ContractCase<Tasks>[] = [
  {
    name: "tree() has a task's subtasks, as deep as was asked for",
    async run(tasks) {
      const root = await make(tasks);
      const child = await make(tasks, { parentId: root.id });
      const urgent = await make(tasks, { parentId: root.id, priority: 1 });
      const grandchild = await make(tasks, { parentId: child.id });
      const tree = await tasks.tree(scope, root.id);
      deepStrictEqual(
        tree.children.map(({ task, depth, children }) => [
          task.id,
          depth,
          children.map((one) => one.task.id),
        ]),
        [
          [urgent.id, 1, []],
          [child.id, 1, [grandchild.id]],
        ],
      );
      deepStrictEqual((await tasks.tree(scope, root.id, 1)).children[1]?.children, []);
      await rejects(tasks.tree(scope, root.id, 21), RangeError);
      strictEqual((await tasks.list({ scope, parentId: root.id })).total, 2);
    },
  },
  {
    name: "findStuck() shows what waits for a stopped task, the nearest first, and not what goes on without it",
    async run(tasks) {
      const a = (await make(tasks)).id;
      const b = (await make(tasks, { dependsOn: [a] })).id;
      const c = (await make(tasks, { dependsOn: [b] })).id;
      const d = (await make(tasks, { dependsOn: [c, a] })).id;
      deepStrictEqual(await tasks.findStuck({ scope }), []);
      await bring(tasks, a, "BLOCKED");
      const [chain, ...more] = await tasks.findStuck({ scope, projectId: "tea" });
      deepStrictEqual([chain?.task.id, chain?.count, more], [a, 3, []]);
      const ids = chain?.downstream.map(({ id }) => id) ?? [];
      deepStrictEqual([new Set(ids.slice(0, 2)), ids.at(-1)], [new Set([b, d]), c]);
      deepStrictEqual(await tasks.findStuck({ scope, projectId: "other" }), []);
      strictEqual((await tasks.findStuck({ scope, id: c }))[0]?.count, 1);
      await tasks.archive(scope, a);
      strictEqual((await tasks.findStuck({ scope })).length, 1);
      await tasks.restore(scope, a);
      deepStrictEqual(await tasks.findStuck({ scope }), []);
    },
  },
  {
    name: "archive() takes ended tasks out of the lists with all that belongs to them, and restore() brings them back",
    async run(tasks) {
      const upstream = await makeIn(tasks, "COMPLETED");
      const { id } = await make(tasks, { dependsOn: [upstream.id] });
      await rejects(tasks.archive(scope, id), isCode("QUEUE_TASK_STATE", "Cannot archive task in READY"));
      await bring(tasks, id, "BLOCKED");
      await tasks.addNote(scope, id, { kind: "feedback", text: "why?" });
      await tasks.archive(scope, id, "ada");
      deepStrictEqual(
        (await tasks.list({ scope })).tasks.map((one) => one.id),
        [upstream.id],
      );
      deepStrictEqual(
        (await tasks.list({ scope, archived: true })).tasks.map((one) => one.id),
        [id],
      );
      await rejects(tasks.apply(scope, id, "ADMIN_RESTART"), isCode("QUEUE_TASK_STATE", "archived"));
      await rejects(tasks.archive(scope, id), isCode("QUEUE_TASK_STATE"));
      await rejects(tasks.restore(scope, upstream.id), isCode("QUEUE_TASK_STATE", "is not archived"));
      await tasks.apply(scope, upstream.id, "ADMIN_RESTART");
      strictEqual((await tasks.restore(scope, id)).state, "DEFINED");
      await bring(tasks, upstream.id, "COMPLETED");
      deepStrictEqual(await listStates(tasks, [id]), ["READY"]);
      strictEqual((await tasks.notes(scope, id)).length, 1);
      await tasks.archive(scope, upstream.id);
      strictEqual((await tasks.restore(scope, upstream.id)).state, "READY");
      deepStrictEqual(await listStates(tasks, [id]), ["DEFINED"]);
    },
  },
  {
    name: "delete() refuses what is under way and what others depend on, unless by force",
    async run(tasks) {
      const a = (await make(tasks)).id;
      const b = (await make(tasks, { dependsOn: [a], parentId: a })).id;
      await rejects(tasks.delete(scope, a), isCode("QUEUE_DEPENDENCY", b));
      await bring(tasks, a, "IN_PROGRESS");
      await rejects(tasks.delete(scope, a, { force: true }), isCode("QUEUE_TASK_STATE", "Stop it first"));
      await tasks.apply(scope, a, "ADMIN_STOP");
      strictEqual((await tasks.delete(scope, a, { force: true, by: "ada" })).id, a);
      const left = await tasks.require(scope, b);
      deepStrictEqual([left.state, left.parentId], ["READY", undefined]);
      deepStrictEqual((await tasks.edges(scope, b)).dependsOn, []);
      deepStrictEqual((await listEvents(tasks, a)).at(-1), "DELETED BLOCKED>");
      await rejects(tasks.require(scope, a), isCode("QUEUE_TASK_UNKNOWN"));
    },
  },
  {
    name: "happenings() gives the newest first, and those after a number in their order",
    async run(tasks) {
      const a = await make(tasks);
      const b = await make(tasks, { projectId: "other" });
      await bring(tasks, a.id, "IN_PROGRESS");
      const newest = await tasks.happenings({ scope, limit: 2 });
      deepStrictEqual(
        newest.map(({ event }) => event),
        ["AGENT_STARTED", "ASSIGNED"],
      );
      const since = newest[1]?.seq ?? 0;
      deepStrictEqual(
        (await tasks.happenings({ scope, since })).map(({ event }) => event),
        ["AGENT_STARTED"],
      );
      const other = await tasks.happenings({ scope, projectId: "other" });
      deepStrictEqual(
        other.map(({ taskId, projectId }) => [taskId, projectId]),
        [[b.id, "other"]],
      );
    },
  },
];
