import type { Transaction } from "kysely";
import { type Clock, cutHead } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { randomId } from "../../../db/index.ts";
import { toClaimed, toJob } from "./job-row.ts";
import type { ClaimedJob, ClaimOptions, Job, JobFailure, JobQuery, Jobs, NewJob } from "./jobs.ts";
import { retryDelayMs } from "./retry-delay.ts";
import type { JobRow, Tables } from "./tables.ts";

export interface SqlJobsOptions {
  readonly clock: Clock;
  /** How often a job is begun before it is given up. @default 3 */
  readonly maxAttempts?: number;
  /** 0 to 1. @default Math.random */
  readonly random?: () => number;
}

const longestPayload = 100_000;
const longestError = 1_000;
const mostListed = 1_000;

/** What is claimed, and the lease that it is claimed with. */
interface Claim extends Pick<ClaimOptions, "kinds" | "leaseMs"> {
  readonly keys: readonly string[] | undefined;
  readonly lease: string;
}

const waiting = ["pending", "failed"] as const;
const unleased = { lease: null, lease_until: null } as const;

/** {@link Jobs} over any {@link TypedDatabase}. */
export class SqlJobs implements Jobs {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;
  readonly #maxAttempts: number;
  readonly #random: () => number;

  constructor(db: TypedDatabase<Tables>, { clock, maxAttempts = 3, random = Math.random }: SqlJobsOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#maxAttempts = maxAttempts;
    this.#random = random;
  }

  async enqueue(job: NewJob): Promise<Job> {
    const payload = toText(job);
    return this.#db.write((tx) => this.#insert(tx, job, payload));
  }

  /** {@link enqueue} in a transaction of other rows: they are there together or not at all. */
  async enqueueIn(tx: Transaction<Tables>, job: NewJob): Promise<Job> {
    return this.#insert(tx, job, toText(job));
  }

  async #insert(tx: Transaction<Tables>, job: NewJob, payload: string): Promise<Job> {
    const { kind, scope, key, runAt, maxAttempts } = job;
    const now = this.#clock.now();
    const there = key === undefined ? undefined : await findWaiting(tx, { kind, scope, key });
    if (there !== undefined)
      return toJob(await wantAgain(tx, there, { payload, runAt: runAt ?? now, maxAttempts }));
    const id = randomId("j", 16);
    const row = await tx
      .insertInto("job")
      .values({
        id,
        kind,
        key: key ?? id,
        scope,
        payload,
        state: "pending",
        attempts: 0,
        max_attempts: maxAttempts ?? null,
        run_at: runAt ?? now,
        ...unleased,
        last_error: null,
        created_at: now,
        ended_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return toJob(row);
  }

  async claim({ kinds, keys, leaseMs }: ClaimOptions): Promise<ClaimedJob | undefined> {
    if (kinds.length === 0 || keys?.length === 0) return undefined;
    await this.#endDeadLeases(kinds);
    if (!(await this.#isDue(kinds))) return undefined;
    const lease = randomId("l", 16);
    const { locks } = this.#db;
    let taken: JobRow | undefined;
    // The lock is taken before the lease is stored: other processes never see a live lease without its lock.
    locks.take(lease);
    try {
      taken = await this.#db.write((tx) => this.#takeNext(tx, { kinds, keys, lease, leaseMs }));
    } finally {
      if (taken === undefined) locks.release(lease, { remove: true });
    }
    return taken && toClaimed(taken);
  }

  async #takeNext(
    tx: Transaction<Tables>,
    { kinds, keys, lease, leaseMs }: Claim,
  ): Promise<JobRow | undefined> {
    for (;;) {
      const now = this.#clock.now();
      const next = await nextDue(tx, { kinds, ...(keys !== undefined && { keys }), now });
      if (next === undefined) return undefined;
      this.#forgetLease(next);
      if (next.attempts >= this.#getMaxAttempts(next)) {
        const last_error = next.last_error ?? `it was begun ${next.attempts} times, and never ended`;
        await settle(tx, next, { state: "dead_letter", last_error, ended_at: now });
        continue;
      }
      return tx
        .updateTable("job")
        .set({ state: "running", attempts: next.attempts + 1, lease, lease_until: now + leaseMs })
        .where("seq", "=", next.seq)
        .returningAll()
        .executeTakeFirstOrThrow();
    }
  }

  /** Ends the leases of processes of this machine that have died, so that nobody waits for them. */
  async #endDeadLeases(kinds: readonly string[]): Promise<void> {
    const now = this.#clock.now();
    const db = await this.#db.queries();
    const running = await db
      .selectFrom("job")
      .select("lease")
      .where("kind", "in", kinds)
      .where("state", "=", "running")
      .where("lease_until", ">", now)
      .execute();
    const dead = running.flatMap(({ lease }) =>
      lease !== null && this.#db.locks.clear(lease) ? [lease] : [],
    );
    if (dead.length === 0) return;
    await this.#db.write((tx) =>
      tx.updateTable("job").set({ lease_until: now }).where("lease", "in", dead).execute(),
    );
  }

  /** Removes the lock of a lease that ends, if its process has died. One that lives removes it itself. */
  #forgetLease({ lease }: JobRow): void {
    if (lease !== null) this.#db.locks.clear(lease);
  }

  async renew(
    { id, lease }: ClaimedJob,
    leaseMs: number,
    { progressed = false }: { readonly progressed?: boolean } = {},
  ): Promise<boolean> {
    const kept = await this.#db.write((tx) =>
      tx
        .updateTable("job")
        .set({ lease_until: this.#clock.now() + leaseMs, ...(progressed && { attempts: 1 }) })
        .where("id", "=", id)
        .where("lease", "=", lease)
        .returning("id")
        .executeTakeFirst(),
    );
    return kept !== undefined;
  }

  async complete(job: ClaimedJob): Promise<boolean> {
    const ended = await this.#end(job, (tx, row) =>
      settle(tx, row, { state: "completed", last_error: null, ended_at: this.#clock.now() }),
    );
    return ended !== undefined;
  }

  fail(job: ClaimedJob, failure: JobFailure): Promise<Job | undefined> {
    const { message, retry = true, retryAfterMs = 0, isPostponed = false } = failure;
    const last_error = cutHead(message.toWellFormed(), longestError);
    return this.#end(job, (tx, row) => {
      const now = this.#clock.now();
      if (isPostponed) {
        const attempts = row.attempts - 1;
        return waitAgain(tx, row, { state: "failed", attempts, last_error, run_at: now + retryAfterMs });
      }
      if (!retry || row.attempts >= this.#getMaxAttempts(row))
        return settle(tx, row, { state: "dead_letter", last_error, ended_at: now });
      const delayMs = Math.max(retryAfterMs, retryDelayMs(row.attempts, this.#random()));
      return waitAgain(tx, row, { state: "failed", last_error, run_at: now + delayMs });
    });
  }

  async release(job: ClaimedJob): Promise<void> {
    await this.#end(job, (tx, row) =>
      waitAgain(tx, row, {
        state: row.last_error === null ? "pending" : "failed",
        attempts: row.attempts - 1,
      }),
    );
  }

  cancel(id: string): Promise<Job | undefined> {
    return this.#db.write(async (tx) => {
      const row = await tx
        .selectFrom("job")
        .selectAll()
        .where("id", "=", id)
        .where("state", "in", [...waiting, "running"])
        .executeTakeFirst();
      if (row === undefined) return undefined;
      this.#forgetLease(row);
      const ended = { state: "cancelled", ended_at: this.#clock.now() } as const;
      return toJob(await settle(tx, row, { ...ended, last_error: row.last_error }));
    });
  }

  async get(id: string): Promise<Job | undefined> {
    const db = await this.#db.queries();
    const row = await db.selectFrom("job").selectAll().where("id", "=", id).executeTakeFirst();
    return row && toJob(row);
  }

  async list({ states, kinds, scope, key, limit = 100 }: JobQuery = {}): Promise<readonly Job[]> {
    const db = await this.#db.queries();
    let rows = db.selectFrom("job").selectAll();
    if (states !== undefined) rows = rows.where("state", "in", states);
    if (kinds !== undefined) rows = rows.where("kind", "in", kinds);
    if (scope !== undefined) rows = rows.where("scope", "=", scope);
    if (key !== undefined) rows = rows.where("key", "=", key);
    const found = await rows.orderBy("seq", "desc").limit(Math.min(limit, mostListed)).execute();
    return found.map(toJob);
  }

  async nextAt(kinds: readonly string[]): Promise<number | undefined> {
    if (kinds.length === 0) return undefined;
    const db = await this.#db.queries();
    const { at } = await db
      .selectFrom("job")
      .select((job) => job.fn.min(job.fn.coalesce("lease_until", "run_at")).as("at"))
      .where("kind", "in", kinds)
      .where("state", "in", [...waiting, "running"])
      .executeTakeFirstOrThrow();
    return at ?? undefined;
  }

  prune({
    completed,
    deadLetters,
  }: {
    readonly completed: number;
    readonly deadLetters: number;
  }): Promise<number> {
    return this.#db.write(async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom("job")
        .where((job) =>
          job.or([
            job.and([job("state", "in", ["completed", "cancelled"]), job("ended_at", "<", completed)]),
            job.and([job("state", "=", "dead_letter"), job("ended_at", "<", deadLetters)]),
          ]),
        )
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    });
  }

  changeMark(): Promise<string> {
    return this.#db.changeMark();
  }

  /** Seen without the write lock: most looks find nothing. */
  async #isDue(kinds: readonly string[]): Promise<boolean> {
    const next = await this.nextAt(kinds);
    return next !== undefined && next <= this.#clock.now();
  }

  #getMaxAttempts({ max_attempts }: JobRow): number {
    return max_attempts ?? this.#maxAttempts;
  }

  /** Ends the work on a job, and releases the lock of its lease even if another process has the job by now. */
  async #end(
    { id, lease }: ClaimedJob,
    change: (tx: Transaction<Tables>, row: JobRow) => Promise<JobRow>,
  ): Promise<Job | undefined> {
    try {
      return await this.#db.write(async (tx) => {
        const row = await tx
          .selectFrom("job")
          .selectAll()
          .where("id", "=", id)
          .where("lease", "=", lease)
          .executeTakeFirst();
        return row && toJob(await change(tx, row));
      });
    } finally {
      this.#db.locks.release(lease, { remove: true });
    }
  }
}

/** @throws {RangeError} */
function toText({ kind, payload = null }: NewJob): string {
  const text = JSON.stringify(payload);
  if (text.length <= longestPayload) return text;
  throw new RangeError(
    `Cannot enqueue a job "${kind}" with a payload of ${text.length} characters: at most ${longestPayload} are kept; put the data elsewhere and name it`,
  );
}

type JobKey = Pick<JobRow, "kind" | "scope" | "key">;

function findWaiting(tx: Transaction<Tables>, { kind, scope, key }: JobKey): Promise<JobRow | undefined> {
  return tx
    .selectFrom("job")
    .selectAll()
    .where("kind", "=", kind)
    .where("scope", "=", scope)
    .where("key", "=", key)
    .where("state", "in", waiting)
    .executeTakeFirst();
}

/** What a job is enqueued with that waits already. */
interface Wanted {
  readonly payload: string;
  readonly runAt: number;
  readonly maxAttempts: number | undefined;
}

/** One that failed keeps the time that it has to wait. */
function wantAgain(
  tx: Transaction<Tables>,
  row: JobRow,
  { payload, runAt, maxAttempts }: Wanted,
): Promise<JobRow> {
  const run_at = row.state === "pending" ? Math.min(row.run_at, runAt) : row.run_at;
  const max_attempts = maxAttempts ?? row.max_attempts;
  return tx
    .updateTable("job")
    .set({ payload, run_at, max_attempts })
    .where("seq", "=", row.seq)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function nextDue(
  tx: Transaction<Tables>,
  { kinds, keys, now }: Pick<ClaimOptions, "kinds" | "keys"> & { readonly now: number },
): Promise<JobRow | undefined> {
  const jobs = tx.selectFrom("job").selectAll().where("kind", "in", kinds);
  return (keys === undefined ? jobs : jobs.where("key", "in", keys))
    .where((job) =>
      job.or([
        job.and([
          job("state", "in", waiting),
          job("run_at", "<=", now),
          // One of its key at a time.
          job.not(
            job.exists(
              job
                .selectFrom("job as other")
                .select("other.seq")
                .whereRef("other.kind", "=", "job.kind")
                .whereRef("other.scope", "=", "job.scope")
                .whereRef("other.key", "=", "job.key")
                .where("other.state", "=", "running"),
            ),
          ),
        ]),
        job.and([job("state", "=", "running"), job("lease_until", "<=", now)]),
      ]),
    )
    .orderBy("run_at")
    .orderBy("seq")
    .executeTakeFirst();
}

type Ended = Pick<JobRow, "state" | "last_error" | "ended_at">;

function settle(tx: Transaction<Tables>, { seq }: JobRow, ended: Ended): Promise<JobRow> {
  return tx
    .updateTable("job")
    .set({ ...ended, ...unleased })
    .where("seq", "=", seq)
    .returningAll()
    .executeTakeFirstOrThrow();
}

type Waiting = Pick<JobRow, "state"> & Partial<Pick<JobRow, "last_error" | "run_at" | "attempts">>;

/** One of its key that was enqueued meanwhile says what is wanted now: the two become one again. */
async function waitAgain(tx: Transaction<Tables>, row: JobRow, changed: Waiting): Promise<JobRow> {
  const later = await findWaiting(tx, row);
  if (later !== undefined) await tx.deleteFrom("job").where("seq", "=", later.seq).execute();
  return tx
    .updateTable("job")
    .set({
      ...changed,
      ...unleased,
      payload: later?.payload ?? row.payload,
      max_attempts: later?.max_attempts ?? row.max_attempts,
    })
    .where("seq", "=", row.seq)
    .returningAll()
    .executeTakeFirstOrThrow();
}
