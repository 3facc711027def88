import type { Transaction } from "kysely";
import type { Clock } from "../../../base/index.ts";
import type { ApprovalTables } from "../../approvals/index.ts";
import type { JobTables, NewJob, SqlJobs } from "../../jobs/index.ts";
import { findRun } from "./find-rows.ts";
import { isOverWith, isWaitOver, listParked } from "./run-waits.ts";
import type { Run } from "./runs.ts";
import { toRun } from "./session-row.ts";
import type { Tables as SessionTables } from "./tables.ts";
import { readWaits, type Wait } from "./waits.ts";

/** How often a run is taken up without progress before it is given up. */
export const maxRunAttempts = 5;

/**
 * The kind of the jobs that drive the runs of a project folder. Each folder has its own, since another folder has other
 * rules.
 */
export function runJobKind(project: string | undefined): string {
  return project === undefined ? "agent.run" : `agent.run ${project}`;
}

/** The job that drives a run in the background. Its key is the run's id, so at most one waits and one is under way. */
export function toRunJob(
  { scope, id, project }: Pick<Run, "scope" | "id" | "project">,
  runAt: number,
): NewJob {
  return { kind: runJobKind(project), scope, key: id, runAt, maxAttempts: maxRunAttempts };
}

/**
 * Lets runs wait as rows. A waiting run has a job at the latest time at which it goes on, and an answer to its question
 * brings that job forward. Both are stored in the same transaction as their cause, so that no crash comes between.
 */
export class RunWaking {
  readonly #jobs: Pick<SqlJobs, "enqueueIn">;
  readonly #clock: Clock;

  constructor({ jobs, clock }: { readonly jobs: Pick<SqlJobs, "enqueueIn">; readonly clock: Clock }) {
    this.#jobs = jobs;
    this.#clock = clock;
  }

  /** A run was queued or parked. */
  readonly onWaiting = async (tx: Transaction<SessionTables>, run: Run): Promise<void> => {
    const runAt = run.state === "parked" ? await this.#findEnd(tx, run) : this.#clock.now();
    if (runAt !== undefined) await this.#enqueue(tx, run, runAt);
  };

  /** Lets a run that was kept parked by something other than its own waits go on, once one of those is over. */
  async wake<Known>(
    anyTx: Transaction<Known>,
    { scope, runId }: { readonly scope: string; readonly runId: string },
  ): Promise<void> {
    const tx = anyTx as unknown as Transaction<SessionTables>;
    const row = await findRun(tx, scope, runId);
    if (row?.state === "parked") await this.onWaiting(tx, toRun(row));
  }

  /** A run came into another state: those that wait for that go on. */
  readonly onChanged = async (tx: Transaction<SessionTables>, run: Run): Promise<void> => {
    if (run.state === "pending" || run.state === "running") return;
    for (const parked of await listParked(tx, run.scope))
      if (readWaits(parked.waitFor).some((wait) => isOverWith(wait, run)))
        await this.#enqueue(tx, parked, this.#clock.now());
  };

  /** A question was answered. */
  readonly onAnswered = async (
    tx: Transaction<ApprovalTables>,
    { id, scope }: { readonly id: string; readonly scope: string },
  ): Promise<void> => {
    const parked = await tx
      .withTables<Pick<SessionTables, "agent_run">>()
      .selectFrom("agent_run")
      .select(["id", "scope", "project", "wait_for"])
      .where("scope", "=", scope)
      .where("state", "=", "parked")
      .execute();
    for (const { wait_for, project, ...run } of parked)
      if (readWaits(wait_for ?? undefined).some((wait) => wait.for === "approval" && wait.id === id))
        await this.#enqueue(tx, { ...run, project: project ?? undefined }, this.#clock.now());
  };

  /** The latest time at which the first of a run's waits ends; undefined if it is not known. */
  async #findEnd(tx: Transaction<SessionTables>, run: Run): Promise<number | undefined> {
    const ends = await Promise.all(readWaits(run.waitFor).map((wait) => this.#findWaitEnd(tx, run, wait)));
    const known = ends.filter((end) => end !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  async #findWaitEnd(tx: Transaction<SessionTables>, waiting: Run, wait: Wait): Promise<number | undefined> {
    if (wait.for === "time") return wait.at;
    if (wait.for === "run" || wait.for === "halt") {
      const isOver = await isWaitOver(tx, waiting, wait);
      return isOver ? this.#clock.now() : undefined;
    }
    const question = await tx
      .withTables<Pick<ApprovalTables, "approval">>()
      .selectFrom("approval")
      .select(["state", "expires_at"])
      .where("id", "=", wait.id)
      .executeTakeFirst();
    // A question that was answered before its call was parked, or that is gone, is not waited for.
    return question?.state === "pending" ? question.expires_at : this.#clock.now();
  }

  async #enqueue<Known>(
    tx: Transaction<Known>,
    run: Pick<Run, "scope" | "id" | "project">,
    runAt: number,
  ): Promise<void> {
    await this.#jobs.enqueueIn(tx as unknown as Transaction<JobTables>, toRunJob(run, runAt));
  }
}
