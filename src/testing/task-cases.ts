import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { findNextState, type Task, type Tasks, taskEvents, taskStates } from "../modules/tasks/index.ts";
import type { ContractCase } from "./contract-case.ts";
import { taskGraphCases } from "./task-graph-cases.ts";
import { bring, claim, isCode, leaseMs, listEvents, listStates, make, makeIn, scope } from "./task-steps.ts";

/** Cases that every implementation of {@link Tasks} has to pass, on the machine's clock. */
export const taskCases: readonly ContractCase<Tasks>[] = [
  {
    name: "create() gives a task a name of two words, and what was not said",
    async run(tasks) {
      const task = await make(tasks, { notes: [{ kind: "plan", text: "kettle first" }] });
      ok(/^[a-z]+-[a-z]+(-\d+)?$/.test(task.id), task.id);
      const { state, priority, maxRetries, description, verification, version, trust } = task;
      deepStrictEqual(
        [state, priority, maxRetries, description, verification, version, trust],
        ["READY", 100, 3, "Boil water", "auto_test", 1, "trusted"],
      );
      deepStrictEqual(await tasks.get(scope, task.id), task);
      const notes = await tasks.notes(scope, task.id);
      deepStrictEqual(
        notes.map(({ kind, label, text, trust: whose }) => [kind, label, text, whose]),
        [["plan", "", "kettle first", "trusted"]],
      );
      deepStrictEqual(await listEvents(tasks, task.id), ["CREATED >READY"]);
    },
  },
  {
    name: "create() refuses what is too long, and parents and dependencies that are not there",
    async run(tasks) {
      await rejects(make(tasks, { title: "x".repeat(201) }), RangeError);
      await rejects(make(tasks, { title: " " }), RangeError);
      await rejects(make(tasks, { description: "x".repeat(50_001) }), RangeError);
      await rejects(make(tasks, { priority: 1.5 }), RangeError);
      await rejects(make(tasks, { parentId: "no-one" }), isCode("QUEUE_TASK_UNKNOWN"));
      await rejects(make(tasks, { dependsOn: ["no-one"] }), isCode("QUEUE_TASK_UNKNOWN"));
      strictEqual((await tasks.list({ scope })).total, 0);
      deepStrictEqual(await tasks.happenings({ scope }), []);
    },
  },
  {
    name: "create() with one key many times at once makes one task, and one in each scope",
    async run(tasks) {
      const made = await Promise.all(
        Array.from({ length: 10 }, () => make(tasks, { idempotencyKey: "once" })),
      );
      const other = await make(tasks, { idempotencyKey: "once", scope: "other" });
      strictEqual(new Set(made.map(({ id }) => id)).size, 1);
      strictEqual((await tasks.list({ scope })).total, 1);
      strictEqual(other.scope, "other");
    },
  },
  {
    name: "require() names the nearest ids, and those of other scopes are unknown everywhere",
    async run(tasks) {
      const { id } = await make(tasks);
      await rejects(tasks.require(scope, `${id}x`), isCode("QUEUE_TASK_UNKNOWN", id));
      const unknown = isCode("QUEUE_TASK_UNKNOWN");
      const other = await make(tasks, { scope: "other" });
      strictEqual(await tasks.get(scope, other.id), undefined);
      for (const refused of [
        () => tasks.require("other", id),
        () => tasks.edit("other", id, { title: "mine" }),
        () => tasks.apply("other", id, "ASSIGNED"),
        () => tasks.claim({ scope: "other", id, agentId: "eve", leaseMs }),
        () => tasks.notes("other", id),
        () => tasks.results("other", id),
        () => tasks.addNote("other", id, { kind: "feedback", text: "hi" }),
        () => tasks.edges("other", id),
        () => tasks.addDependency("other", id, other.id),
        () => tasks.addDependency("other", other.id, id),
        () => tasks.tree("other", id),
        () => tasks.findStuck({ scope: "other", id }),
        () => tasks.archive("other", id),
        () => tasks.delete("other", id),
      ])
        await rejects(refused(), unknown);
      strictEqual((await tasks.list({ scope: "other" })).total, 1);
      deepStrictEqual(await tasks.happenings({ scope: "other", taskId: id }), []);
      deepStrictEqual((await tasks.findEdges("other", [id])).get(id), { dependsOn: [], blocks: [] });
    },
  },
  {
    name: "apply() lets each of the 29 events happen in the states of the table, and in no other",
    async run(tasks) {
      let legal = 0;
      for (const state of taskStates)
        for (const event of taskEvents) {
          const task = await makeIn(tasks, state);
          strictEqual(task.state, state);
          const next = findNextState(state, event);
          if (next === undefined) {
            await rejects(
              tasks.apply(scope, task.id, event),
              isCode("QUEUE_TASK_STATE", state === "READY" ? "" : state),
            );
            deepStrictEqual(await tasks.require(scope, task.id), task);
          } else {
            legal++;
            const moved = await tasks.apply(scope, task.id, event, { by: "ada", why: "so" });
            deepStrictEqual([moved.state, moved.version], [next, task.version + 1]);
            const [newest] = await tasks.happenings({ scope, taskId: task.id });
            deepStrictEqual(
              [newest?.event, newest?.from, newest?.to, newest?.by, newest?.why],
              [event, state, next, "ada", "so"],
            );
          }
        }
      strictEqual(legal, 43);
    },
  },
  {
    name: "apply() keeps the fields, the note and the result that come with an event, or nothing of it",
    async run(tasks) {
      const { id } = await makeIn(tasks, "ASSIGNED");
      const started = await tasks.apply(scope, id, "AGENT_STARTED", {
        agentId: "ada",
        runId: "run_1",
        sessionId: "s_1",
        branch: "b",
        note: { kind: "answer", text: "yes", trust: "untrusted" },
      });
      deepStrictEqual(
        [started.agentId, started.runId, started.sessionId, started.branch, started.leaseUntil],
        ["ada", "run_1", "s_1", "b", undefined],
      );
      strictEqual((await tasks.findByRun(scope, "run_1"))?.id, id);
      await rejects(
        tasks.apply(scope, id, "PLAN_FOUND", { note: { kind: "plan", text: "no" } }),
        isCode("QUEUE_TASK_STATE"),
      );
      const result = { outcome: "completed", summary: "hot", filesChanged: ["a.ts"], tokens: 7 } as const;
      await tasks.apply(scope, id, "AGENT_COMPLETED", { result });
      const [kept, ...more] = await tasks.results(scope, id);
      deepStrictEqual(
        [
          kept?.attempt,
          kept?.outcome,
          kept?.summary,
          kept?.filesChanged,
          kept?.tokens,
          kept?.agentId,
          kept?.runId,
        ],
        [1, "completed", "hot", ["a.ts"], 7, "ada", "run_1"],
      );
      deepStrictEqual(more, []);
      strictEqual((await tasks.notes(scope, id)).length, 1);
    },
  },
  {
    name: "apply() of a skip says in a result that the task was skipped, and lets others go on",
    async run(tasks) {
      const { id } = await makeIn(tasks, "BLOCKED");
      const waiting = await make(tasks, { dependsOn: [id] });
      await tasks.apply(scope, id, "ADMIN_SKIP");
      deepStrictEqual(await listStates(tasks, [id, waiting.id]), ["COMPLETED", "READY"]);
      deepStrictEqual(
        (await tasks.results(scope, id)).map(({ outcome }) => outcome),
        ["skipped"],
      );
    },
  },
  {
    name: "a task becomes ready with the last of those that it depends on, and waits again for one that is restarted",
    async run(tasks) {
      const first = await make(tasks);
      const second = await make(tasks);
      const last = await make(tasks, { dependsOn: [first.id, second.id, first.id] });
      strictEqual(last.state, "DEFINED");
      await bring(tasks, first.id, "COMPLETED");
      deepStrictEqual(await listStates(tasks, [last.id]), ["DEFINED"]);
      await bring(tasks, second.id, "COMPLETED");
      deepStrictEqual(await listStates(tasks, [last.id]), ["READY"]);
      await tasks.apply(scope, first.id, "ADMIN_RESTART");
      deepStrictEqual(await listStates(tasks, [last.id]), ["DEFINED"]);
      await bring(tasks, first.id, "COMPLETED");
      deepStrictEqual(await listEvents(tasks, last.id), [
        "CREATED >DEFINED",
        "DEPS_MET DEFINED>READY",
        "DEPS_UNMET READY>DEFINED",
        "DEPS_MET DEFINED>READY",
      ]);
    },
  },
  {
    name: "a task that is tried again waits for what came to hold it up meanwhile",
    async run(tasks) {
      const upstream = await makeIn(tasks, "COMPLETED");
      const { id } = await make(tasks, { dependsOn: [upstream.id] });
      await bring(tasks, id, "IN_PROGRESS");
      await tasks.apply(scope, upstream.id, "ADMIN_RESTART");
      deepStrictEqual(await listStates(tasks, [id]), ["IN_PROGRESS"]);
      strictEqual((await tasks.apply(scope, id, "RETRY", { retries: 1 })).state, "DEFINED");
      await bring(tasks, upstream.id, "COMPLETED");
      deepStrictEqual(await listStates(tasks, [id]), ["READY"]);
    },
  },
  {
    name: "addDependency() refuses itself, twice, and a cycle, which it names",
    async run(tasks) {
      const a = (await make(tasks)).id;
      const b = (await make(tasks, { dependsOn: [a] })).id;
      const c = (await make(tasks, { dependsOn: [b] })).id;
      const refused = (words: string) => isCode("QUEUE_DEPENDENCY", words);
      await rejects(tasks.addDependency(scope, a, a), refused("A task cannot depend on itself"));
      await rejects(tasks.addDependency(scope, b, a), refused("already depends on"));
      await rejects(
        tasks.addDependency(scope, a, c),
        refused(`Cyclic dependency detected: ${a} -> ${c} -> ${b} -> ${a}`),
      );
      await rejects(tasks.removeDependency(scope, a, c), refused("No dependency found"));
      deepStrictEqual((await tasks.findEdges(scope, [a, b, c])).get(b), { dependsOn: [a], blocks: [c] });
    },
  },
  {
    name: "addDependency() makes a ready task wait, and removeDependency() lets it go on",
    async run(tasks) {
      const a = (await make(tasks)).id;
      const b = (await make(tasks)).id;
      const edges = await tasks.addDependency(scope, b, a);
      deepStrictEqual([edges.dependsOn.map(({ id }) => id), edges.blocks], [[a], []]);
      deepStrictEqual(await listStates(tasks, [b]), ["DEFINED"]);
      deepStrictEqual((await tasks.removeDependency(scope, b, a)).dependsOn, []);
      deepStrictEqual(await listEvents(tasks, b), [
        "CREATED >READY",
        "DEPS_ADDED READY>DEFINED",
        "DEPS_REMOVED >",
        "DEPS_MET DEFINED>READY",
      ]);
      const done = await makeIn(tasks, "COMPLETED");
      await tasks.addDependency(scope, b, done.id);
      deepStrictEqual(await listStates(tasks, [b]), ["READY"]);
      await bring(tasks, b, "IN_PROGRESS");
      await rejects(tasks.addDependency(scope, b, a), isCode("QUEUE_TASK_STATE", "in progress"));
    },
  },
  {
    name: "addDependency() both ways at once makes one edge and no cycle",
    async run(tasks) {
      const a = (await make(tasks)).id;
      const b = (await make(tasks)).id;
      const added = await Promise.allSettled([
        tasks.addDependency(scope, a, b),
        tasks.addDependency(scope, b, a),
      ]);
      deepStrictEqual(added.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    },
  },
  {
    name: "claim() gives the most urgent ready task to one of many who ask, and begins it",
    async run(tasks) {
      const late = await make(tasks, { priority: 200 });
      const urgent = await make(tasks, { priority: 1 });
      const other = await make(tasks, { priority: 0, projectId: "other" });
      await make(tasks, { dependsOn: [late.id], priority: 0 });
      const query = { scope, projectId: "tea", agentId: "ada", leaseMs };
      const claimed = await Promise.all(Array.from({ length: 6 }, () => tasks.claim(query)));
      const had = claimed.flatMap((task) => task ?? []);
      deepStrictEqual(
        had.map(({ id, state, agentId }) => [id, state, agentId]),
        [
          [urgent.id, "IN_PROGRESS", "ada"],
          [late.id, "IN_PROGRESS", "ada"],
        ],
      );
      strictEqual((await tasks.claim({ scope, agentId: "eve", leaseMs }))?.id, other.id);
      await rejects(
        tasks.claim({ scope, id: urgent.id, agentId: "eve", leaseMs }),
        isCode("QUEUE_TASK_STATE", "'ada' has it"),
      );
    },
  },
  {
    name: "claim() takes over a task whose lease ran out, and whoever had it has lost it",
    async run(tasks) {
      const { id } = await make(tasks);
      const slept = await claim(tasks, id, 0);
      const taken = await claim(tasks, id);
      ok(slept.lease !== taken.lease);
      const lost = isCode("QUEUE_TASK_LOST");
      await rejects(tasks.renew(scope, id, slept.lease, leaseMs), lost);
      const result = { outcome: "completed" } as const;
      await rejects(tasks.end({ scope, id, lease: slept.lease, result }), lost);
      ok(
        ((await tasks.renew(scope, id, taken.lease, 2 * leaseMs)).leaseUntil ?? 0) > (taken.leaseUntil ?? 0),
      );
      strictEqual((await tasks.end({ scope, id, lease: taken.lease, result })).state, "COMPLETED");
      await rejects(tasks.end({ scope, id, lease: taken.lease, result }), lost);
    },
  },
  {
    name: "a task of which three leases in a row run out is blocked with a note, and a person has it tried again",
    async run(tasks) {
      const { id } = await make(tasks);
      const lose = async () => {
        await claim(tasks, id, 0);
        return (await tasks.list({ scope })).tasks[0]?.state;
      };
      deepStrictEqual([await lose(), await lose(), await lose()], ["READY", "READY", "BLOCKED"]);
      deepStrictEqual((await listEvents(tasks, id)).at(-1), "TIMEOUT IN_PROGRESS>BLOCKED");
      const [blocked] = await tasks.happenings({ scope, taskId: id, limit: 1 });
      strictEqual(blocked?.why, "3 leases in a row ran out, that of ada last");
      const [note] = await tasks.notes(scope, id);
      deepStrictEqual([note?.kind, note?.label], ["feedback", "lost leases"]);
      ok(note?.text.includes(`haft tasks retry ${id}`));
      strictEqual(await tasks.claim({ scope, agentId: "ada", leaseMs }), undefined);
      await tasks.apply(scope, id, "ADMIN_RESTART");
      deepStrictEqual([await lose(), await lose()], ["READY", "READY"]);
      const { lease } = await claim(tasks, id);
      await tasks.end({ scope, id, lease, result: { outcome: "failed" } });
      deepStrictEqual([await lose(), await lose(), await lose()], ["READY", "READY", "BLOCKED"]);
    },
  },
  {
    name: "list() and count() show a task whose lease ran out, or whose pause is over, as ready",
    async run(tasks) {
      const lost = await make(tasks);
      await claim(tasks, lost.id, 0);
      deepStrictEqual(await tasks.count({ scope }), { READY: 1 });
      const paused = await makeIn(tasks, "IN_PROGRESS");
      await tasks.apply(scope, paused.id, "TOKENS_EXHAUSTED", { resumeAfter: 1 });
      const resting = await makeIn(tasks, "IN_PROGRESS");
      await tasks.apply(scope, resting.id, "TOKENS_EXHAUSTED", { resumeAfter: Date.now() + leaseMs });
      const ofRun = await makeIn(tasks, "IN_PROGRESS");
      deepStrictEqual(
        (await tasks.list({ scope })).tasks.map(({ id, state }) => [id, state]),
        [
          [lost.id, "READY"],
          [paused.id, "READY"],
          [resting.id, "PAUSED"],
          [ofRun.id, "IN_PROGRESS"],
        ],
      );
      deepStrictEqual((await listEvents(tasks, paused.id)).at(-1), "RESUME_TIMER PAUSED>READY");
      deepStrictEqual((await listEvents(tasks, lost.id)).at(-1), "RECOVERY IN_PROGRESS>READY");
    },
  },
  {
    name: "end() of a failure tries again until the retries are used, and then blocks the task",
    async run(tasks) {
      const { id } = await make(tasks, { maxRetries: 1 });
      const fail = async (of: string) => {
        const { lease } = await claim(tasks, of);
        const { state, retries } = await tasks.end({
          scope,
          id: of,
          lease,
          result: { outcome: "failed", error: "no water" },
        });
        return [state, retries];
      };
      deepStrictEqual(
        [await fail(id), await fail(id)],
        [
          ["READY", 1],
          ["BLOCKED", 1],
        ],
      );
      deepStrictEqual(
        (await tasks.results(scope, id)).map(({ attempt, outcome, error, agentId }) => [
          attempt,
          outcome,
          error,
          agentId,
        ]),
        [
          [1, "failed", "no water", "ada"],
          [2, "failed", "no water", "ada"],
        ],
      );
      deepStrictEqual(await fail((await make(tasks, { maxRetries: 0 })).id), ["FAILED", 0]);
    },
  },
  {
    name: "end() of a task that a person has to approve or to verify leaves it to the person",
    async run(tasks) {
      for (const part of [{ requiresApproval: true }, { verification: "human" }] as const) {
        const { id } = await make(tasks, part);
        const waiting = await make(tasks, { dependsOn: [id] });
        const { lease } = await claim(tasks, id);
        await tasks.end({ scope, id, lease, result: { outcome: "completed" } });
        deepStrictEqual(await listStates(tasks, [id, waiting.id]), ["AWAITING_APPROVAL", "DEFINED"]);
        await tasks.apply(scope, id, "PR_MERGED");
        deepStrictEqual(await listStates(tasks, [id, waiting.id]), ["COMPLETED", "READY"]);
      }
    },
  },
  {
    name: "edit() changes fields and never the state, and a worse trust stays",
    async run(tasks) {
      const { id } = await make(tasks, { type: "docs" });
      const edited = await tasks.edit(scope, id, { title: "Pour", type: null, trust: "untrusted" }, "ada");
      deepStrictEqual(
        [edited.title, edited.type, edited.trust, edited.state],
        ["Pour", undefined, "untrusted", "READY"],
      );
      strictEqual((await tasks.edit(scope, id, { priority: 5, trust: "trusted" })).trust, "untrusted");
      await rejects(tasks.edit(scope, id, {}), isCode("QUEUE_NOTHING_TO_CHANGE", "No fields to update"));
      await bring(tasks, id, "IN_PROGRESS");
      await rejects(tasks.edit(scope, id, { projectId: "other" }), isCode("QUEUE_TASK_STATE"));
    },
  },
  {
    name: "list() gives pages of the most urgent first, filtered, with how many there are of all",
    async run(tasks) {
      const made: Task[] = [];
      for (const priority of [3, 1, 2, 1, 3])
        made.push(await make(tasks, { priority, projectId: priority === 2 ? "other" : "tea" }));
      await bring(tasks, made[0]?.id ?? "", "COMPLETED");
      const order = [1, 3, 2, 0, 4].map((at) => made[at]?.id);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await tasks.list({ scope, limit: 2, ...(cursor !== undefined && { cursor }) });
        strictEqual(page.total, 5);
        seen.push(...page.tasks.map(({ id }) => id));
        cursor = page.next;
      } while (cursor !== undefined);
      deepStrictEqual(seen, order);
      const ids = async (query: object) =>
        (await tasks.list({ scope, ...query })).tasks.map(({ id }) => made.findIndex((one) => one.id === id));
      deepStrictEqual(await ids({ notStates: ["COMPLETED"] }), [1, 3, 2, 4]);
      deepStrictEqual(await ids({ states: ["COMPLETED", "FAILED"] }), [0]);
      deepStrictEqual(await ids({ projectId: "other" }), [2]);
      deepStrictEqual(await ids({ states: [] }), []);
      await rejects(tasks.list({ scope, limit: 0 }), RangeError);
      await rejects(tasks.list({ scope, cursor: "x" }), RangeError);
      deepStrictEqual(await tasks.count({ scope }), { READY: 4, COMPLETED: 1 });
      deepStrictEqual(
        [...(await tasks.countByProject({ scope }))],
        [
          ["other", { READY: 1 }],
          ["tea", { READY: 3, COMPLETED: 1 }],
        ],
      );
    },
  },
  ...taskGraphCases,
];
