import type { Json } from "../../../base/index.ts";
import type { Trust } from "../../../kernel/index.ts";
import type { Entry, NewEntry } from "./entries.ts";

/** `parked`: it waits for something that will come. `paused`: somebody has to decide how it goes on. */
export const runStates = [
  "pending",
  "running",
  "parked",
  "paused",
  "completed",
  "failed",
  "stopped",
] as const;

/** One of {@link runStates}. */
export type RunState = (typeof runStates)[number];

/** States of a run that has not ended and that nobody has to decide about: a background process goes on with it. */
export const liveStates: readonly RunState[] = ["pending", "running", "parked"];

/** `turn`: the answer to a message of a chat. `reflect`: what is learnt from a run that has ended. */
export const runKinds = ["turn", "task", "schedule", "reflect"] as const;

/** One of {@link runKinds}. */
export type RunKind = (typeof runKinds)[number];

/** One execution of the loop. */
export interface Run {
  readonly id: string;
  readonly scope: string;
  readonly kind: RunKind;
  readonly sessionId: string;
  readonly agentId: string;
  /** The run that began this one. */
  readonly parentId: string | undefined;
  /** The outermost run: money and labels of trust are counted for it. */
  readonly rootId: string;
  /** 0 for a run that no other run began. */
  readonly depth: number;
  readonly state: RunState;
  /** One word for why it is parked, paused or failed: `steps`, `budget`, `approval`, … */
  readonly why: string | undefined;
  /** What a parked run waits for, as {@link readWaits} reads it. */
  readonly waitFor: string | undefined;
  /** The last text of a run that has ended. */
  readonly result: string | undefined;
  /** Limits, origin and other data that its starter stores with it. */
  readonly settings: Json;
  readonly trust: Trust;
  /** How many answers it has had. */
  readonly steps: number;
  /** When another process may take over a run that runs. */
  readonly leaseUntil: number | undefined;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly endedAt: number | undefined;
  /** The project folder that it works in, canonical. */
  readonly project: string | undefined;
}

/** A run to begin. */
export interface NewRun {
  readonly scope: string;
  readonly kind: RunKind;
  readonly sessionId: string;
  readonly parentId?: string;
  /** @default null */
  readonly settings?: Json;
  /** @default "trusted" */
  readonly trust?: Trust;
  /** The project folder that it works in, canonical. @default none */
  readonly project?: string;
  /** Whether it is left to a background process. @default false: the process that begins it drives it */
  readonly queued?: boolean;
}

/** A run that this process may drive until its lease ends or its state is no longer `running`. */
export interface ClaimedRun extends Run {
  readonly lease: string;
}

/** One change of a session by the process that has its run, whole or not at all. */
export interface SessionChange {
  /** Begins an epoch: the entries of this change are the first of it. */
  readonly prefix?: Json;
  readonly entries?: readonly NewEntry[];
  /** Messages of the inbox that the first entries of this change say, in their order. */
  readonly taken?: readonly string[];
  readonly run?: RunChange;
}

/** A change to the run itself. A state other than `running` releases it. */
export interface RunChange {
  readonly state?: Exclude<RunState, "pending">;
  readonly why?: string;
  readonly waitFor?: string;
  readonly result?: string;
  readonly steps?: number;
  readonly settings?: Json;
}

/** Which runs to list. */
export interface RunQuery {
  readonly scope: string;
  readonly sessionId?: string;
  readonly rootId?: string;
  /** Runs that runs of this session began, and those below them. */
  readonly below?: string;
  readonly states?: readonly RunState[];
  /** 1 to 1,000. @default 50 */
  readonly limit?: number;
}

/**
 * Runs of the agent. Only the process that has the session's run writes entries: the transaction that writes checks the
 * lease, so a process that slept past it writes nothing more.
 */
export interface Runs {
  /** @throws {SessionError} SESSION_NOT_FOUND: there is no such session, or no such parent run. */
  begin(run: NewRun): Promise<Run>;
  get(scope: string, id: string): Promise<Run | undefined>;
  /** The newest first. */
  list(query: RunQuery): Promise<readonly Run[]>;
  /**
   * Takes over a run that waits, or whose process let its lease end. Undefined while another process has a run of its
   * session, and for a run that has ended.
   */
  claim(scope: string, id: string, leaseMs: number): Promise<ClaimedRun | undefined>;
  /** Extends the lease. False if this process no longer has the run, and must stop its work for it. */
  renew(run: ClaimedRun, leaseMs: number): Promise<boolean>;
  /**
   * Resolves with the new entries once they survive a kill -9.
   *
   * @throws {SessionError} RUN_LOST: the run is no longer this process's; nothing is written.
   * @throws {RangeError} An entry has more than 8,000,000 characters as JSON.
   */
  write(run: ClaimedRun, change: SessionChange): Promise<readonly Entry[]>;
  /** Releases a run as it is, for the next process that claims it. */
  release(run: ClaimedRun): Promise<void>;
  /** Ends a run that no process has. False where one has it, or it has ended. */
  stop(scope: string, id: string, why: string): Promise<boolean>;
}
