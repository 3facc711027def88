import type { Json, MaybePromise } from "../../../base/index.ts";

/** `failed`: it waits to be tried again. `dead_letter`: it will not be. `cancelled`: nobody wants it any more. */
export const jobStates = ["pending", "running", "completed", "failed", "dead_letter", "cancelled"] as const;

/** One of {@link jobStates}. */
export type JobState = (typeof jobStates)[number];

/** Work to be done later, or by another process. */
export interface NewJob {
  /** What it is, and so whose: `memory.observe`. */
  readonly kind: string;
  readonly scope: string;
  /**
   * At most one of the jobs of one kind and scope with one key waits, and at most one runs.
   * @default one of its own
   */
  readonly key?: string;
  /** What it needs to know: at most 100,000 characters as JSON. @default null */
  readonly payload?: Json;
  /** Unix ms: not before. @default now */
  readonly runAt?: number;
  /** How often it is begun before it is given up, 1 or more. @default 3 */
  readonly maxAttempts?: number;
}

/** Work that is a row before it is done, and so is done though the process that meant to do it is killed. */
export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly scope: string;
  readonly key: string;
  readonly payload: Json;
  readonly state: JobState;
  /** How often it was begun since it last got on. */
  readonly attempts: number;
  readonly runAt: number;
  /** When another process may take over a job that runs. */
  readonly leaseUntil: number | undefined;
  readonly lastError: string | undefined;
  readonly createdAt: number;
  readonly endedAt: number | undefined;
}

/** A job that is this process's to do, until its lease ends. */
export interface ClaimedJob extends Job {
  /** The lease of this attempt alone. */
  readonly lease: string;
}

/** Why a job failed, and whether it is tried again. */
export interface JobFailure {
  /** At most 1,000 characters of it are kept. */
  readonly message: string;
  /** False: a second attempt would fail as well. @default true */
  readonly retry?: boolean;
  /** How long whoever failed it wants to be left alone. */
  readonly retryAfterMs?: number;
  /** It waits for `retryAfterMs` without using up an attempt, so it is never given up for that. @default false */
  readonly isPostponed?: boolean;
}

/** Which jobs to take over, and for how long. */
export interface ClaimOptions {
  readonly kinds: readonly string[];
  /** Only jobs with these keys. @default all */
  readonly keys?: readonly string[];
  readonly leaseMs: number;
}

/** Which jobs to list. */
export interface JobQuery {
  readonly states?: readonly JobState[];
  readonly kinds?: readonly string[];
  readonly scope?: string;
  readonly key?: string;
  /** 1 to 1,000. @default 100 */
  readonly limit?: number;
}

/**
 * Work to be done once, at least: a process that dies in the middle leaves its job to another, so what a job does has
 * to come to the same when it is done twice.
 */
export interface Jobs {
  /**
   * Resolves once the job survives a kill -9. Where one of its key waits already, that is the job, with the payload and
   * the attempts of now and the earlier of both times.
   *
   * @throws {RangeError} The payload is too long.
   */
  enqueue(job: NewJob): Promise<Job>;
  /**
   * The next that is due, or whose process has died on this machine or let its lease run out; no other process gets it
   * meanwhile. One that was begun as often as it may be and never ended kills who runs it, and becomes a dead letter
   * instead.
   */
  claim(options: ClaimOptions): Promise<ClaimedJob | undefined>;
  /**
   * False where the job is no longer this process's: what it does for it has to stop.
   *
   * @param options.progressed It got on, and so counts as begun for the first time: long work survives many restarts.
   */
  renew(job: ClaimedJob, leaseMs: number, options?: { readonly progressed?: boolean }): Promise<boolean>;
  /** False where the job is no longer this process's. */
  complete(job: ClaimedJob): Promise<boolean>;
  /** It is tried again later, or becomes a dead letter; undefined where it is no longer this process's. */
  fail(job: ClaimedJob, failure: JobFailure): Promise<Job | undefined>;
  /** Gives it back as if it had not been begun. */
  release(job: ClaimedJob): Promise<void>;
  /**
   * Ends a job that waits or runs. Who runs it hears of it when its lease is next renewed; until then another of its key
   * may begin. Undefined for a job that has ended, or never was.
   */
  cancel(id: string): Promise<Job | undefined>;
  /** Undefined for a job that never was, was pruned, or became one with another of its key. */
  get(id: string): Promise<Job | undefined>;
  /** The newest first. */
  list(query?: JobQuery): Promise<readonly Job[]>;
  /** Unix ms: when the next of these kinds is due, or a lease of one ends. */
  nextAt(kinds: readonly string[]): Promise<number | undefined>;
  /** A value that differs once somebody may have enqueued. Absent: another process's jobs are found at the next look. */
  changeMark?(): Promise<unknown>;
  /** Deletes what ended before: `completed` and `cancelled` by one time, dead letters by another. Resolves with how many. */
  prune(before: { readonly completed: number; readonly deadLetters: number }): Promise<number>;
}

/**
 * Does the jobs of one kind. What it does for a job has to come to the same when it is done twice. It fails by
 * rejecting; a CodedError may say more in its details: `retry: false` where a second attempt would fail too,
 * `retryAfterMs`. A job that makes progress calls `progressed`: its attempts are then counted anew, however often its
 * process dies.
 */
export type JobHandler = (job: Job, signal: AbortSignal, progressed?: () => void) => MaybePromise<void>;
/** Functions that do jobs, by kind. */
export type JobHandlers = Readonly<Record<string, JobHandler>>;
