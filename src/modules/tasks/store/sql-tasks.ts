import type { Transaction } from "kysely";
import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import type { Redact } from "../../../kernel/index.ts";
import { archiveTask, deleteTask, restoreTask } from "./archive.ts";
import { advanceTasks, claimTask, endTask, findReady, isAnyDue, renewLease, requireLease } from "./claims.ts";
import { createTask } from "./create-task.ts";
import { addEdge, readEdges, readEdgesOf, removeEdge } from "./edges.ts";
import { editTask } from "./edit-task.ts";
import { findTask, findTaskByRun, requireTask } from "./find-tasks.ts";
import { listHappenings } from "./happenings.ts";
import { checkChange, checkEdit, checkNewTask, checkNote, checkResult, checkWhole } from "./limits.ts";
import { countByProject, countTasks, listTasks } from "./list-tasks.ts";
import { activeStates } from "./move-task.ts";
import { addNote } from "./notes.ts";
import { applyWithConsequences } from "./readiness.ts";
import type { StopRequest } from "./runs/stop-runs.ts";
import { findNextState, type TaskEvent } from "./states.ts";
import { findStuck } from "./stuck.ts";
import type { Tables, TaskRow } from "./tables.ts";
import { toClaimed, toNote, toResult, toTask } from "./task-row.ts";
import type {
  ClaimedTask,
  ClaimQuery,
  NewTask,
  NewTaskNote,
  StuckChain,
  Task,
  TaskChange,
  TaskCounts,
  TaskEdges,
  TaskEdit,
  TaskEnd,
  TaskHappening,
  TaskNode,
  TaskNote,
  TaskPage,
  TaskQuery,
  TaskResult,
  Tasks,
} from "./tasks.ts";
import { readTree } from "./tree.ts";
import type { Writing } from "./writing.ts";

export interface SqlTasksOptions {
  readonly clock: Clock;
  /** Takes secrets out of what is stored. @default nothing is secret */
  readonly redact?: Redact | undefined;
  /** 0 to 1: which words an id is made of. @default Math.random */
  readonly random?: () => number;
  /** Called in the transaction that takes a task out of the hands of a run, before the task changes. @default no run works on tasks */
  readonly stopRuns?: (tx: Transaction<Tables>, request: StopRequest) => Promise<unknown>;
  /** Called in the transaction in which the task of a run has less to wait for. @default no run works on tasks */
  readonly wakeRun?: (
    tx: Transaction<Tables>,
    run: { readonly scope: string; readonly runId: string },
  ) => Promise<void>;
}

/** Events by which somebody else takes a task out of the hands of its run. */
const takingEvents: ReadonlySet<TaskEvent> = new Set(["ADMIN_STOP", "ADMIN_RESTART", "ADMIN_SKIP"]);

const longestLeaseMs = 7 * 86_400_000;

/**
 * {@link Tasks} over any {@link TypedDatabase}. Leases that ran out and timers that went off are noticed whenever tasks
 * are listed, counted or claimed: no process has to run for it.
 */
export class SqlTasks implements Tasks {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;
  readonly #redact: Redact;
  readonly #random: () => number;
  readonly #stopRuns: SqlTasksOptions["stopRuns"];
  readonly #wakeRun: SqlTasksOptions["wakeRun"];

  constructor(
    db: TypedDatabase<Tables>,
    { clock, redact = (text) => text, random = Math.random, stopRuns, wakeRun }: SqlTasksOptions,
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#redact = redact;
    this.#random = random;
    this.#stopRuns = stopRuns;
    this.#wakeRun = wakeRun;
  }

  async create(task: NewTask): Promise<Task> {
    checkNewTask(task);
    return toTask(await this.#write((writing) => createTask(writing, task, this.#random)));
  }

  /** {@link create} in a transaction of other rows: they are there together or not at all. */
  async createIn(tx: Transaction<Tables>, task: NewTask): Promise<Task> {
    checkNewTask(task);
    return toTask(await createTask(this.#begin(tx), task, this.#random));
  }

  /** {@link apply} in a transaction of other rows. */
  async applyIn(
    tx: Transaction<Tables>,
    scope: string,
    id: string,
    event: TaskEvent,
    change: TaskChange = {},
  ): Promise<Task> {
    checkChange(change);
    const row = await requireTask(tx, scope, id);
    return toTask(await applyWithConsequences(this.#begin(tx), row, event, change));
  }

  /** {@link findByRun} in a transaction of other rows. */
  async findByRunIn(tx: Transaction<Tables>, scope: string, runId: string): Promise<Task | undefined> {
    const row = await findTaskByRun(tx, scope, runId);
    return row && toTask(row);
  }

  async get(scope: string, id: string): Promise<Task | undefined> {
    const row = await findTask(await this.#db.queries(), scope, id);
    return row && toTask(row);
  }

  async require(scope: string, id: string): Promise<Task> {
    return toTask(await requireTask(await this.#db.queries(), scope, id));
  }

  async findByRun(scope: string, runId: string): Promise<Task | undefined> {
    const row = await findTaskByRun(await this.#db.queries(), scope, runId);
    return row && toTask(row);
  }

  async list(query: TaskQuery): Promise<TaskPage> {
    await this.#advance(query.scope);
    return listTasks(await this.#db.queries(), query);
  }

  async count(query: Omit<TaskQuery, "limit" | "cursor">): Promise<TaskCounts> {
    await this.#advance(query.scope);
    return countTasks(await this.#db.queries(), query);
  }

  async countByProject(query: Omit<TaskQuery, "limit" | "cursor">): ReturnType<Tasks["countByProject"]> {
    await this.#advance(query.scope);
    return countByProject(await this.#db.queries(), query);
  }

  async edit(scope: string, id: string, edit: TaskEdit, by?: string): Promise<Task> {
    checkEdit(edit);
    return this.#change(scope, id, (writing, row) => editTask(writing, row, edit, by));
  }

  async apply(scope: string, id: string, event: TaskEvent, change: TaskChange = {}): Promise<Task> {
    checkChange(change);
    return this.#change(scope, id, async (writing, row) => {
      const mayHappen = row.archived_at === null && findNextState(row.state, event) !== undefined;
      if (!mayHappen || !takingEvents.has(event)) return applyWithConsequences(writing, row, event, change);
      const left = await this.#leave(writing, row, change.why ?? "it was taken from its agent");
      // The end of its run has stopped the task already.
      if (event === "ADMIN_STOP" && left.state === "BLOCKED") return left;
      return applyWithConsequences(writing, left, event, change);
    });
  }

  async claim(query: ClaimQuery): Promise<ClaimedTask | undefined> {
    const { scope, id, projectId, leaseMs } = query;
    checkWhole("leaseMs", leaseMs, 0, longestLeaseMs);
    checkChange({ agentId: query.agentId });
    if (id === undefined) {
      // Checked without the write lock first, since an idle claimant mostly finds nothing.
      const db = await this.#db.queries();
      const ready = await findReady(db, scope, projectId);
      if (ready === undefined && !(await isAnyDue(db, scope, this.#clock.now()))) return undefined;
    }
    const row = await this.#write(async (writing) => {
      await advanceTasks(writing, scope);
      return claimTask(writing, query);
    });
    return row && toClaimed(row);
  }

  async renew(scope: string, id: string, lease: string, leaseMs: number): Promise<ClaimedTask> {
    checkWhole("leaseMs", leaseMs, 0, longestLeaseMs);
    const row = await this.#write(async (writing) =>
      renewLease(writing, await requireLease(writing.tx, scope, id, lease), leaseMs),
    );
    return toClaimed(row);
  }

  async end(end: TaskEnd): Promise<Task> {
    checkResult(end.result);
    const row = await this.#write(async (writing) =>
      endTask(writing, await requireLease(writing.tx, end.scope, end.id, end.lease), end),
    );
    return toTask(row);
  }

  async addNote(scope: string, id: string, note: NewTaskNote): Promise<TaskNote> {
    checkNote(note);
    return this.#write(async (writing) => addNote(writing, await requireTask(writing.tx, scope, id), note));
  }

  async notes(scope: string, id: string): Promise<readonly TaskNote[]> {
    const db = await this.#db.queries();
    await requireTask(db, scope, id);
    const rows = db.selectFrom("task_note").selectAll().where("scope", "=", scope).where("task_id", "=", id);
    return (await rows.orderBy("seq").execute()).map(toNote);
  }

  async results(scope: string, id: string): Promise<readonly TaskResult[]> {
    const db = await this.#db.queries();
    await requireTask(db, scope, id);
    const rows = db
      .selectFrom("task_result")
      .selectAll()
      .where("scope", "=", scope)
      .where("task_id", "=", id);
    return (await rows.orderBy("seq").execute()).map(toResult);
  }

  async edges(scope: string, id: string): Promise<TaskEdges> {
    return readEdges(await this.#db.queries(), scope, id);
  }

  async findEdges(scope: string, ids: readonly string[]): ReturnType<Tasks["findEdges"]> {
    return readEdgesOf(await this.#db.queries(), scope, ids);
  }

  async addDependency(scope: string, id: string, dependsOn: string, by?: string): Promise<TaskEdges> {
    return this.#write(async (writing) => {
      await addEdge(writing, { scope, id, dependsOn, by });
      return readEdges(writing.tx, scope, id);
    });
  }

  async removeDependency(scope: string, id: string, dependsOn: string, by?: string): Promise<TaskEdges> {
    return this.#write(async (writing) => {
      await removeEdge(writing, { scope, id, dependsOn, by });
      return readEdges(writing.tx, scope, id);
    });
  }

  async tree(scope: string, id: string, depth = 4): Promise<TaskNode> {
    return readTree(await this.#db.queries(), scope, id, depth);
  }

  async findStuck(query: Parameters<Tasks["findStuck"]>[0]): Promise<readonly StuckChain[]> {
    return findStuck(await this.#db.queries(), query);
  }

  async archive(scope: string, id: string, by?: string): Promise<Task> {
    return this.#change(scope, id, async (writing, row) => {
      const archived = await archiveTask(writing, row, by);
      await this.#leave(writing, archived, "its task was archived");
      return archived;
    });
  }

  async restore(scope: string, id: string, by?: string): Promise<Task> {
    return this.#change(scope, id, (writing, row) => restoreTask(writing, row, by));
  }

  async delete(
    scope: string,
    id: string,
    options: { readonly force?: boolean; readonly by?: string } = {},
  ): Promise<Task> {
    return this.#change(scope, id, async (writing, row) => {
      const left = activeStates.has(row.state)
        ? row
        : await this.#leave(writing, row, "its task was deleted");
      await deleteTask(writing, left, options);
      return left;
    });
  }

  async happenings(query: Parameters<Tasks["happenings"]>[0]): Promise<readonly TaskHappening[]> {
    return listHappenings(await this.#db.queries(), query);
  }

  async #advance(scope: string): Promise<void> {
    if (!(await isAnyDue(await this.#db.queries(), scope, this.#clock.now()))) return;
    await this.#write((writing) => advanceTasks(writing, scope));
  }

  /** Ends the work of an agent on a task. Returns the task as it is then. */
  async #leave(writing: Writing, row: TaskRow, why: string): Promise<TaskRow> {
    const { scope, id, run_id: runId } = row;
    if (runId === null || this.#stopRuns === undefined) return row;
    await this.#stopRuns(writing.tx, { scope, runId, why });
    return requireTask(writing.tx, scope, id);
  }

  async #change(
    scope: string,
    id: string,
    change: (writing: Writing, row: TaskRow) => Promise<TaskRow>,
  ): Promise<Task> {
    const row = await this.#write(async (writing) =>
      change(writing, await requireTask(writing.tx, scope, id)),
    );
    return toTask(row);
  }

  #write<T>(work: (writing: Writing) => Promise<T>): Promise<T> {
    return this.#db.write((tx) => work(this.#begin(tx)));
  }

  #begin(tx: Transaction<Tables>): Writing {
    return {
      tx,
      now: this.#clock.now(),
      redact: this.#redact,
      wakeRun: async (run) => this.#wakeRun?.(tx, run),
    };
  }
}
