import { type Clock, CodedError, getErrorMessage, keepLease, systemClock } from "../../base/index.ts";
import type { ClaimedJob, Job, JobFailure, JobHandlers, Jobs, NewJob } from "./store/jobs.ts";

/** Which jobs a runner does, how many at once, and how long ended ones are kept. */
export interface JobRunnerOptions {
  readonly jobs: Jobs;
  /** The handlers by kind. Jobs of other kinds are left to others. */
  readonly handlers: JobHandlers;
  /** Jobs under way at once. @default 2 */
  readonly atOnce?: number;
  /** How late a job of another process is heard of at most. @default 30,000 */
  readonly pollMs?: number;
  /** How often it is looked whether another process changed anything, where the store can tell. @default never: it waits for `pollMs` */
  readonly watchMs?: number;
  /**
   * How long others leave its jobs alone while this process hangs, or dies on another machine. Once it has died on
   * theirs, they take them over when they next look. @default 60,000
   */
  readonly leaseMs?: number;
  /** How long completed jobs can be looked at. @default 604,800,000 (7 days) */
  readonly keepCompletedMs?: number;
  /** How long dead letters can be. @default 2,592,000,000 (30 days) */
  readonly keepDeadLettersMs?: number;
  /** The keys of the jobs that it does, asked for at each look. @default all */
  readonly findKeys?: () => Promise<readonly string[]>;
  /** Told of each failure: of a job, or of the store, then without one. */
  readonly onFailure?: (failure: JobFailure, job: Job | undefined) => void;
  /** @default the machine's, with timers that keep no program alive */
  readonly clock?: Clock;
}

const pruneEveryMs = 6 * 3_600_000;

/**
 * Does jobs while the program lives, a few at once. Where several processes have the store open, one of them gets each
 * job.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const greeted = Promise.withResolvers<string>();
 * await using runner = new JobRunner({
 *   jobs: store.jobs,
 *   handlers: { greet: ({ payload }) => greeted.resolve(`Hello, ${String(payload)}`) },
 * });
 * runner.start();
 * await runner.enqueue({ kind: "greet", scope: "local", payload: "Ada" });
 * await greeted.promise; // → "Hello, Ada"
 * ```
 */
export class JobRunner implements AsyncDisposable {
  readonly #options: Required<Omit<JobRunnerOptions, "onFailure" | "watchMs" | "findKeys">> &
    Pick<JobRunnerOptions, "onFailure" | "watchMs" | "findKeys">;
  readonly #kinds: readonly string[];
  readonly #running = new Map<Promise<void>, AbortController>();
  #cancelTimer: (() => void) | undefined;
  #cancelWatch: (() => void) | undefined;
  #mark: unknown;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #pruneAt = 0;
  #state: "new" | "started" | "closed" = "new";

  constructor(options: JobRunnerOptions) {
    this.#options = {
      atOnce: 2,
      pollMs: 30_000,
      leaseMs: 60_000,
      keepCompletedMs: 7 * 86_400_000,
      keepDeadLettersMs: 30 * 86_400_000,
      clock: backgroundClock,
      ...options,
    };
    this.#kinds = Object.keys(options.handlers);
  }

  /** Begins to look for jobs. Before it none is done. */
  start(): void {
    if (this.#state !== "new") return;
    this.#state = "started";
    this.#watchLater();
    this.wake();
  }

  /** Enqueues, and begins at once where there is room. */
  async enqueue(job: NewJob): Promise<Job> {
    const kept = await this.#options.jobs.enqueue(job);
    this.wake();
    return kept;
  }

  /** Looks for jobs without waiting for the next time. */
  wake(): void {
    if (this.#state !== "started") return;
    this.#lookAgain = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      // Somebody woke it between its last look and now.
      if (this.#lookAgain) this.wake();
    });
  }

  /**
   * Begins nothing more, and resolves once nothing runs. What has not ended after `graceMs` is aborted and given back,
   * for the next program to do.
   *
   * @param graceMs @default 2,000
   */
  async close(graceMs = 2_000): Promise<void> {
    this.#state = "closed";
    this.#cancelTimer?.();
    this.#cancelWatch?.();
    await this.#looking;
    const cancel = this.#options.clock.after(graceMs, () => {
      for (const end of this.#running.values()) end.abort(closing());
    });
    await Promise.all(this.#running.keys());
    cancel();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #watchLater(): void {
    const { jobs, watchMs, clock } = this.#options;
    if (watchMs === undefined || jobs.changeMark === undefined || this.#state !== "started") return;
    this.#cancelWatch = clock.after(watchMs, () => void this.#watch().finally(() => this.#watchLater()));
  }

  async #watch(): Promise<void> {
    // A store that can't be asked now is asked again the next time.
    const mark = await this.#options.jobs.changeMark?.().catch(() => this.#mark);
    if (mark !== this.#mark) this.wake();
    this.#mark = mark;
  }

  async #look(): Promise<void> {
    this.#cancelTimer?.();
    let waitMs = this.#options.pollMs;
    while (this.#lookAgain && this.#state === "started") {
      this.#lookAgain = false;
      try {
        waitMs = await this.#claimAll();
      } catch (thrown) {
        this.#options.onFailure?.({ message: getErrorMessage(thrown) }, undefined);
      }
    }
    if (this.#state === "started") this.#cancelTimer = this.#options.clock.after(waitMs, () => this.wake());
  }

  /** How long there is nothing to do then. */
  async #claimAll(): Promise<number> {
    const { jobs, atOnce, leaseMs, pollMs, findKeys, clock } = this.#options;
    await this.#prune();
    while (this.#running.size < atOnce && this.#state === "started") {
      const keys = await findKeys?.();
      const job = await jobs.claim({ kinds: this.#kinds, leaseMs, ...(keys !== undefined && { keys }) });
      if (job !== undefined) {
        this.#begin(job);
        continue;
      }
      const delayMs = ((await jobs.nextAt(this.#kinds)) ?? Number.POSITIVE_INFINITY) - clock.now();
      // What is due and could not be had is another's, or waits for one of its key that runs.
      return delayMs > 0 ? Math.min(delayMs, pollMs) : pollMs;
    }
    return pollMs;
  }

  #begin(job: ClaimedJob): void {
    const end = new AbortController();
    const run: Promise<void> = this.#run(job, end).finally(() => {
      this.#running.delete(run);
      this.wake();
    });
    this.#running.set(run, end);
  }

  /** Never rejects. */
  async #run(job: ClaimedJob, end: AbortController): Promise<void> {
    const { jobs, clock, leaseMs } = this.#options;
    const stopRenewing = keepLease({
      clock,
      leaseMs,
      renew: () => jobs.renew(job, leaseMs),
      onLost: () => end.abort(lost(job)),
    });
    try {
      const failure = await this.#attempt(job, end.signal);
      stopRenewing();
      if (failure === undefined) await jobs.complete(job);
      else if (isClosing(end.signal)) await jobs.release(job);
      else {
        const failed = await jobs.fail(job, failure);
        // One that was cancelled or taken over is no failure of this process's.
        if (failed !== undefined) this.#options.onFailure?.(failure, failed);
      }
    } catch (thrown) {
      this.#options.onFailure?.({ message: getErrorMessage(thrown) }, job);
    } finally {
      stopRenewing();
    }
  }

  async #attempt(job: ClaimedJob, signal: AbortSignal): Promise<JobFailure | undefined> {
    try {
      await this.#options.handlers[job.kind]?.(job, signal, this.#countAnew(job));
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** The callback by which a job reports progress, so that its attempts are counted anew. */
  #countAnew(job: ClaimedJob): () => void {
    const { jobs, leaseMs } = this.#options;
    let isCounted = job.attempts <= 1;
    return () => {
      if (isCounted) return;
      isCounted = true;
      jobs.renew(job, leaseMs, { progressed: true }).catch(() => {
        isCounted = false; // It is tried again with the next step.
      });
    };
  }

  async #prune(): Promise<void> {
    const { jobs, clock, keepCompletedMs, keepDeadLettersMs } = this.#options;
    const now = clock.now();
    if (now < this.#pruneAt) return;
    this.#pruneAt = now + pruneEveryMs;
    await jobs.prune({ completed: now - keepCompletedMs, deadLetters: now - keepDeadLettersMs });
  }
}

/** Nobody waits for a job: a program may end before its time has come. */
const backgroundClock: Clock = {
  now: () => systemClock.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, Math.min(delayMs, 2 ** 31 - 1)).unref();
    return () => clearTimeout(timer);
  },
};

class JobsClosing extends Error {
  override readonly name = "JobsClosing";
}

function closing(): JobsClosing {
  return new JobsClosing("The program ends; the job is done when it runs again");
}

function isClosing({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof JobsClosing;
}

function lost({ id }: ClaimedJob): Error {
  return new Error(`The job "${id}" was cancelled, or another process has it now`);
}

function toFailure(thrown: unknown): JobFailure {
  const { retry, retryAfterMs, isPostponed } = (thrown instanceof CodedError && thrown.details) || {};
  return {
    message: getErrorMessage(thrown),
    ...(retry === false && { retry }),
    ...(typeof retryAfterMs === "number" && { retryAfterMs }),
    ...(isPostponed === true && { isPostponed }),
  };
}
