import type { Transaction } from "kysely";
import { type Clock, type Json, nearestNames } from "../../../../base/index.ts";
import type { TypedDatabase } from "../../../../db/index.ts";
import type { Redact } from "../../../../kernel/index.ts";
import { noteEvents } from "../../../events/index.ts";
import type { JobTables, SqlJobs } from "../../../jobs/index.ts";
import {
  findRun,
  findTakenTrust,
  insertMessage,
  insertNextRun,
  insertRun,
  insertSession,
  liveStates,
  type Run,
  type RunRow,
  type SessionTables,
  taskChannel,
  toRun,
  toRunJob,
} from "../../../sessions/index.ts";
import type { SqlUsage } from "../../../usage/index.ts";
import type { Tables as TaskTables } from "../tables.ts";
import type { Task } from "../tasks.ts";
import { countStarts } from "./count-starts.ts";
import { TaskRunError } from "./errors.ts";
import { findNextEvent } from "./follow-run.ts";
import { forTasks, type TasksInTransaction } from "./in-transaction.ts";
import { checkLimits } from "./limits.ts";
import { type RunTree, SqlRunTree } from "./run-tree.ts";
import type { RunStopper, StopRequest } from "./stop-runs.ts";
import type { NewTaskRun, ResumedTaskRun, TaskReader, TaskRun, TaskRunQuery, TaskRuns } from "./task-runs.ts";

/** The tables that task runs are stored in. */
export type TaskRunTables = TaskTables & SessionTables;

export interface SqlTaskRunsOptions {
  readonly clock: Clock;
  readonly redact?: Redact | undefined;
  readonly tasks: TasksInTransaction;
  readonly jobs: Pick<SqlJobs, "enqueueIn">;
  readonly stopper: Pick<RunStopper, "stopIn">;
  readonly usage: Pick<SqlUsage, "spentIn">;
}

/** Ids that an unknown one is compared to. */
const mostCompared = 200;

/** {@link TaskRuns} over any {@link TypedDatabase}. */
export class SqlTaskRuns implements TaskRuns {
  readonly #db: TypedDatabase<TaskRunTables>;
  readonly #clock: Clock;
  readonly #redact: Redact;
  readonly #tasks: TasksInTransaction;
  readonly #jobs: SqlTaskRunsOptions["jobs"];
  readonly #stopper: SqlTaskRunsOptions["stopper"];
  readonly #usage: SqlTaskRunsOptions["usage"];

  constructor(
    db: TypedDatabase<TaskRunTables>,
    { clock, redact = (text) => text, tasks, jobs, stopper, usage }: SqlTaskRunsOptions,
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#redact = redact;
    this.#tasks = tasks;
    this.#jobs = jobs;
    this.#stopper = stopper;
    this.#usage = usage;
  }

  async start(wanted: NewTaskRun): Promise<TaskRun> {
    const { scope, parentRunId, agentId, description, input, limits, key } = wanted;
    return this.#db.write(async (tx) => {
      const there = key === undefined ? undefined : await this.#findByKey(tx, scope, key);
      if (there !== undefined) return there;
      const now = this.#clock.now();
      const parent = parentRunId === undefined ? undefined : await findRun(tx, scope, parentRunId);
      checkLimits(limits, await countStarts(tx, { scope, parent, now }));
      if (parent !== undefined) await wanted.reserve?.(this.#openTree(tx), toRun(parent));
      const parentTask =
        parentRunId === undefined
          ? undefined
          : await this.#tasks.findByRunIn(forTasks(tx), scope, parentRunId);
      const task = await this.#tasks.createIn(forTasks(tx), {
        scope,
        projectId: wanted.projectId,
        title: description,
        description: input,
        trust: wanted.trust,
        ...(parentTask !== undefined && { parentId: parentTask.id }),
        ...(key !== undefined && { idempotencyKey: key }),
      });
      const options = { now, redact: this.#redact };
      const session = await insertSession(
        tx,
        { scope, agentId, channel: taskChannel, title: description },
        options,
      );
      const run = await insertRun(
        tx,
        {
          scope,
          kind: "task",
          sessionId: session.id,
          settings: wanted.settings,
          trust: wanted.trust,
          ...(parentRunId !== undefined && { parentId: parentRunId }),
          ...(wanted.project !== undefined && { project: wanted.project }),
        },
        options,
      );
      await this.#post(tx, run, { text: input, from: parent, trust: wanted.trust });
      const assigned = await this.#tasks.applyIn(forTasks(tx), task.scope, task.id, "ASSIGNED", {
        agentId,
        runId: run.id,
        sessionId: session.id,
        ...(parent !== undefined && { by: parent.agent_id }),
      });
      await this.#enqueue(tx, run);
      return { task: assigned, run: toRun(run) };
    });
  }

  async resume(resumed: ResumedTaskRun): Promise<TaskRun> {
    const { scope, taskId, callerRunId, input, trust, key } = resumed;
    return this.#db.write(async (tx) => {
      const { task, row } = await this.#require(tx, scope, taskId);
      const caller = callerRunId === undefined ? undefined : await findRun(tx, scope, callerRunId);
      const posted = await this.#post(tx, row, { text: input, from: caller, trust, key });
      if (!posted) return { task, run: toRun(row) };
      if (liveStates.some((state) => state === row.state)) {
        // It waits for its own tasks, and can read the message meanwhile.
        if (row.state === "parked" && row.why === "task") await this.#enqueue(tx, row);
        return { task, run: toRun(row) };
      }
      const now = this.#clock.now();
      const counts = await countStarts(tx, { scope, parent: caller, now });
      checkLimits(resumed.limits, { ...counts, depth: 0, children: 0 });
      if (caller !== undefined) await resumed.reserve?.(this.#openTree(tx), toRun(caller), toRun(row));
      const { progress: _, ...last } = JSON.parse(row.settings) as Record<string, Json>;
      const settings = resumed.changeSettings?.(last) ?? last;
      const next = await this.#insertNext(tx, row, { settings, caller, now });
      let moved = task;
      for (
        let event = findNextEvent(task.state, "ASSIGNED");
        event !== undefined;
        event = findNextEvent(moved.state, "ASSIGNED")
      )
        moved = await this.#tasks.applyIn(forTasks(tx), task.scope, task.id, event, {
          ...(caller !== undefined && { by: caller.agent_id }),
          ...(event === "ASSIGNED" && {
            agentId: next.agent_id,
            runId: next.id,
            sessionId: next.session_id,
          }),
        });
      await this.#supersede(tx, row, now);
      await this.#enqueue(tx, next);
      return { task: moved, run: toRun(next) };
    });
  }

  async require(scope: string, taskId: string): Promise<TaskRun> {
    const db = await this.#db.queries();
    const { task, row } = await this.#require(db as Transaction<TaskRunTables>, scope, taskId);
    return { task, run: toRun(row) };
  }

  async list({ scope, since, until, states, limit }: TaskRunQuery): Promise<readonly TaskRun[]> {
    const db = (await this.#db.queries()) as Transaction<TaskRunTables>;
    let rows = db
      .selectFrom("task")
      .innerJoin("agent_run", (join) =>
        join.onRef("agent_run.scope", "=", "task.scope").onRef("agent_run.id", "=", "task.run_id"),
      )
      .selectAll("agent_run")
      .where("task.scope", "=", scope)
      .where("task.run_id", "is not", null);
    if (since !== undefined) rows = rows.where("task.created_at", ">=", since);
    if (until !== undefined) rows = rows.where("task.created_at", "<", until);
    if (states !== undefined) rows = rows.where("agent_run.state", "in", [...states]);
    const found = await rows.orderBy("task.created_at", "desc").limit(limit).execute();
    return this.#withTasks(db, found);
  }

  async isBelow(run: Run, sessionId: string): Promise<boolean> {
    const db = await this.#db.queries();
    for (let one: RunRow | undefined, { parentId } = run; parentId !== undefined; ) {
      one = await findRun(db, run.scope, parentId);
      if (one?.session_id === sessionId) return true;
      parentId = one?.parent_id ?? undefined;
    }
    return false;
  }

  async stop(request: StopRequest): Promise<readonly string[]> {
    return this.#db.write((tx) => this.#stopper.stopIn(forTasks(tx), request));
  }

  async read<Value>(look: (tree: RunTree) => Promise<Value>): Promise<Value> {
    return look(this.#openTree((await this.#db.queries()) as Transaction<TaskRunTables>));
  }

  #openTree(db: Transaction<TaskRunTables>): RunTree {
    return new SqlRunTree(db, this.#usage);
  }

  async claimResults(
    scope: string,
    runIds: readonly string[],
    { sessionId, callId }: TaskReader,
  ): Promise<ReadonlySet<string>> {
    return this.#db.write(async (tx) => {
      const claimed = new Set<string>();
      for (const runId of runIds) {
        const messages = await tx
          .selectFrom("inbox")
          .select(["n", "shown_by"])
          .where("scope", "=", scope)
          .where("session_id", "=", sessionId)
          .where("channel", "=", taskChannel)
          .where("external_id", ">=", `${runId}.`)
          .where("external_id", "<", `${runId}/`)
          .where("taken_seq", "is", null)
          .execute();
        const open = messages.filter(({ shown_by: by }) => !isSibling(by, callId));
        if (open.length === 0) continue;
        claimed.add(runId);
        if (callId === undefined) continue;
        await tx
          .updateTable("inbox")
          .set({ shown_by: callId })
          .where("scope", "=", scope)
          .where("session_id", "=", sessionId)
          .where(
            "n",
            "in",
            open.map(({ n }) => n),
          )
          .execute();
      }
      return claimed;
    });
  }

  async listLive(scope: string, sessionId: string): Promise<readonly TaskRun[]> {
    const db = (await this.#db.queries()) as Transaction<TaskRunTables>;
    const rows = await db
      .selectFrom("agent_run")
      .selectAll()
      .where("scope", "=", scope)
      .where("kind", "=", "task")
      .where("state", "in", liveStates)
      .where("parent_id", "in", (query) =>
        query
          .selectFrom("agent_run")
          .select("id")
          .where("scope", "=", scope)
          .where("session_id", "=", sessionId),
      )
      .execute();
    return this.#withTasks(db, rows);
  }

  /** Without runs whose task goes on with another. */
  async #withTasks(db: Transaction<TaskRunTables>, rows: readonly RunRow[]): Promise<readonly TaskRun[]> {
    const found = await Promise.all(
      rows.map(async (row) => {
        const task = await this.#tasks.findByRunIn(forTasks(db), row.scope, row.id);
        return task && { task, run: toRun(row) };
      }),
    );
    return found.filter((one) => one !== undefined);
  }

  async #findByKey(tx: Transaction<TaskRunTables>, scope: string, key: string): Promise<TaskRun | undefined> {
    const there = await tx
      .selectFrom("task")
      .select("id")
      .where("scope", "=", scope)
      .where("idempotency_key", "=", key)
      .executeTakeFirst();
    if (there === undefined) return undefined;
    const { task, row } = await this.#require(tx, scope, there.id);
    return { task, run: toRun(row) };
  }

  /** @throws {TaskRunError} TASK_UNKNOWN */
  async #require(
    tx: Transaction<TaskRunTables>,
    scope: string,
    taskId: string,
  ): Promise<{ readonly task: Task; readonly row: RunRow }> {
    const found = await tx
      .selectFrom("task")
      .select("run_id")
      .where("scope", "=", scope)
      .where("id", "=", taskId)
      .executeTakeFirst();
    const runId = found?.run_id ?? undefined;
    const task = runId === undefined ? undefined : await this.#tasks.findByRunIn(forTasks(tx), scope, runId);
    const row = runId === undefined ? undefined : await findRun(tx, scope, runId);
    if (task !== undefined && row !== undefined) return { task, row };
    const known = await tx
      .selectFrom("task")
      .select("id")
      .where("scope", "=", scope)
      .where("run_id", "is not", null)
      .orderBy("created_at", "desc")
      .limit(mostCompared)
      .execute();
    const nearest = nearestNames(
      taskId,
      known.map(({ id }) => id),
      3,
    );
    const hint = nearest.length === 0 ? "task_list has them all" : `did you mean ${nearest.join(", ")}?`;
    const why = found === undefined ? "there is none of this id" : "no agent has worked on it";
    throw new TaskRunError("TASK_UNKNOWN", `Cannot use the task "${taskId}": ${why}; ${hint}`, {
      details: { taskId, nearest },
    });
  }

  /** False if the same message is there already. */
  async #post(
    tx: Transaction<TaskRunTables>,
    { scope, session_id: sessionId }: RunRow,
    {
      text,
      from,
      trust,
      key,
    }: {
      readonly text: string;
      readonly from: RunRow | undefined;
      readonly trust: Run["trust"];
      readonly key?: string | undefined;
    },
  ): Promise<boolean> {
    const posted = await insertMessage(
      tx,
      {
        scope,
        sessionId,
        sender: from === undefined ? "user" : `the agent ${from.agent_id}`,
        parts: [{ type: "text", text }],
        trust,
        ...(key !== undefined && { external: { channel: "resume_task", id: key } }),
      },
      { now: this.#clock.now(), redact: this.#redact },
    );
    return posted !== undefined;
  }

  async #insertNext(
    tx: Transaction<TaskRunTables>,
    row: RunRow,
    {
      settings,
      caller,
      now,
    }: {
      readonly settings: Readonly<Record<string, Json>>;
      readonly caller: RunRow | undefined;
      readonly now: number;
    },
  ): Promise<RunRow> {
    const trust = await findTakenTrust(tx, toRun(row));
    if (caller === undefined)
      return insertNextRun(tx, { ...row, settings: JSON.stringify(settings), trust }, { now });
    return insertRun(
      tx,
      {
        scope: row.scope,
        kind: "task",
        sessionId: row.session_id,
        parentId: caller.id,
        settings,
        trust,
        ...(row.project !== null && { project: row.project }),
      },
      { now },
    );
  }

  /** Ends a paused run whose task goes on with another. */
  async #supersede(tx: Transaction<TaskRunTables>, row: RunRow, now: number): Promise<void> {
    if (row.state !== "paused") return;
    await tx
      .updateTable("agent_run")
      .set({ state: "stopped", why: "resumed", changed_at: now, ended_at: now })
      .where("scope", "=", row.scope)
      .where("id", "=", row.id)
      .execute();
    await noteEvents(tx, "run", [row.id], now);
  }

  async #enqueue(tx: Transaction<TaskRunTables>, row: RunRow): Promise<void> {
    const job = toRunJob(toRun(row), this.#clock.now());
    await this.#jobs.enqueueIn(tx as unknown as Transaction<JobTables>, job);
  }
}

/** Whether another call of the same answer shows the message. */
function isSibling(shownBy: string | null, callId: string | undefined): boolean {
  if (shownBy === null || callId === undefined || shownBy === callId) return false;
  return shownBy.slice(0, shownBy.lastIndexOf(".")) === callId.slice(0, callId.lastIndexOf("."));
}
