import type { Transaction } from "kysely";
import type { Clock } from "../../../../base/index.ts";
import type { Redact } from "../../../../kernel/index.ts";
import type { JobTables, SqlJobs } from "../../../jobs/index.ts";
import {
  findRun,
  findShownTrust,
  insertMessage,
  insertNextRun,
  type Run,
  type RunRow,
  type SessionTables,
  taskChannel,
  toRun,
  toRunJob,
} from "../../../sessions/index.ts";
import type { ChangeTables } from "../../../undo/index.ts";
import { findNextState } from "../states.ts";
import type { Tables as TaskTables } from "../tables.ts";
import type { NewTaskResult, Task } from "../tasks.ts";
import { listRunFiles } from "./changed-files.ts";
import { describeOutcome } from "./describe-outcome.ts";
import { findNextEvent, findTarget } from "./follow-run.ts";
import { forTasks, type TasksInTransaction } from "./in-transaction.ts";

/** How long the program of a conversation has to begin its next turn itself, before a program in the background does. */
const graceMs = 3_000;
const mostSummaryChars = 50_000;

/** Why a run was stopped whose parent needs no message about it. */
export const stoppedByParent = "stopped by its parent";

/** What {@link TaskFollower} works with. */
export interface FollowOptions {
  readonly clock: Clock;
  readonly redact?: Redact | undefined;
  readonly tasks: TasksInTransaction;
  readonly jobs: Pick<SqlJobs, "enqueueIn">;
}

/**
 * Changes a task with the run that works on it, in the same transaction: its state, its result, the message to whoever
 * started it, and the job that wakes them.
 */
export class TaskFollower {
  readonly #options: FollowOptions;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /** A run came into another state. */
  readonly onChanged = async (sessionTx: Transaction<SessionTables>, run: Run): Promise<void> => {
    const tx = sessionTx as unknown as Transaction<SessionTables & TaskTables>;
    if (run.kind !== "task") return this.#wakeEnded(tx, run);
    // A task that goes on with another run has nothing to do with this one.
    const task = await this.#options.tasks.findByRunIn(forTasks(tx), run.scope, run.id);
    if (task === undefined || task.archivedAt !== undefined) return;
    const trust = await findShownTrust(sessionTx, run);
    await this.#moveTask(tx, task, run, trust);
    if (isHalted(run) && run.why !== stoppedByParent) await this.#deliver(tx, { task, run, trust });
  };

  async #moveTask(
    tx: Transaction<SessionTables & TaskTables>,
    task: Task,
    run: Run,
    trust: Run["trust"],
  ): Promise<void> {
    const { tasks } = this.#options;
    const target = findTarget(run, task);
    if (target === undefined) return;
    const result = await readResult(tx, run, trust);
    let { state } = task;
    for (
      let event = findNextEvent(state, target);
      event !== undefined;
      event = findNextEvent(state, target)
    ) {
      const isLast = findNextState(state, event) === target;
      const moved = await tasks.applyIn(forTasks(tx), task.scope, task.id, event, {
        by: run.agentId,
        ...(run.why !== undefined && { why: run.why }),
        // A restart forgets who has the task.
        ...(event === "ASSIGNED" && { agentId: run.agentId, runId: run.id, sessionId: run.sessionId }),
        ...(isLast && result !== undefined && { result }),
      });
      state = moved.state;
    }
  }

  /** Leaves the message with its parent, once for each time that the run halts. */
  async #deliver(
    tx: Transaction<SessionTables & TaskTables>,
    { task, run, trust }: { readonly task: Task; readonly run: Run; readonly trust: Run["trust"] },
  ): Promise<void> {
    const { clock, redact = (text) => text } = this.#options;
    const { scope, parentId } = run;
    const parent = parentId === undefined ? undefined : await findRun(tx, scope, parentId);
    if (parent === undefined) return;
    const now = clock.now();
    const posted = await insertMessage(
      tx,
      {
        scope,
        sessionId: parent.session_id,
        sender: `the task ${task.id}`,
        parts: [{ type: "text", text: describeOutcome(task, run) }],
        trust,
        external: { channel: taskChannel, id: `${run.id}.${run.state}.${run.steps}.${run.changedAt}` },
      },
      { now, redact },
    );
    if (posted !== undefined) await this.#wake(tx, parent, now);
  }

  /** Begins the next turn of a conversation that a task told something after its run had read its messages. */
  async #wakeEnded(tx: Transaction<SessionTables & TaskTables>, run: Run): Promise<void> {
    if (run.state !== "completed" || run.kind === "reflect") return;
    const { scope, sessionId } = run;
    const waiting = await tx
      .selectFrom("inbox")
      .select("id")
      .where("scope", "=", scope)
      .where("session_id", "=", sessionId)
      .where("channel", "=", taskChannel)
      .where("taken_seq", "is", null)
      .limit(1)
      .executeTakeFirst();
    if (waiting !== undefined)
      await this.#wake(tx, { scope, session_id: sessionId }, this.#options.clock.now());
  }

  /** Begins the next turn of a conversation that is idle. One that was interrupted, or that failed, is left alone. */
  async #wake(
    tx: Transaction<SessionTables & TaskTables>,
    { scope, session_id: sessionId }: Pick<RunRow, "scope" | "session_id">,
    now: number,
  ): Promise<void> {
    const newest = await tx
      .selectFrom("agent_run")
      .selectAll()
      .where("scope", "=", scope)
      .where("session_id", "=", sessionId)
      .where("kind", "!=", "reflect")
      .orderBy("created_at", "desc")
      .limit(20)
      .execute();
    const [last] = newest;
    const isIdle = newest.every(({ state }) => ended.has(state));
    if (last?.state !== "completed" || last.kind === "task" || !isIdle) return;
    const next = await insertNextRun(tx, last, { now });
    const job = toRunJob(toRun(next), now + graceMs);
    await this.#options.jobs.enqueueIn(tx as unknown as Transaction<JobTables>, job);
  }
}

const ended: ReadonlySet<Run["state"]> = new Set(["completed", "failed", "stopped"]);

/** Whether a run has ended, or goes on only after somebody has decided. */
export function isHalted({ state }: Pick<Run, "state">): boolean {
  return ended.has(state) || state === "paused";
}

/** What a run came to, with the files that it changed. */
async function readResult(
  tx: Transaction<SessionTables>,
  run: Run,
  trust: Run["trust"],
): Promise<NewTaskResult | undefined> {
  const result = toResult(run, trust);
  if (result === undefined) return undefined;
  const filesChanged = await listRunFiles(tx as unknown as Transaction<ChangeTables>, run);
  return filesChanged.length === 0 ? result : { ...result, filesChanged };
}

function toResult({ state, why, result = "" }: Run, trust: Run["trust"]): NewTaskResult | undefined {
  const summary = result.slice(0, mostSummaryChars);
  switch (state) {
    case "completed":
    case "stopped":
      return { outcome: state, summary, trust };
    case "failed":
      return { outcome: "failed", summary, trust, ...(why !== undefined && { error: why }) };
    case "paused":
      return { outcome: "paused_tokens", summary, trust };
    case "parked":
      if (why === "task") return undefined;
      return { outcome: why === "approval" ? "waiting_input" : "paused_rate_limit", trust };
    case "pending":
    case "running":
      return undefined;
    default:
      return state satisfies never;
  }
}
