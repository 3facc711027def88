import { CodedError } from "../../base/index.ts";
import type { ClientInfo } from "../call/origin.ts";
import type { Decision } from "../policy/rules.ts";
import type { Trust } from "../policy/trust.ts";

/** One call, as the ledger knows it. */
export interface LedgerCall {
  readonly callId: string;
  readonly toolName: string;
  /** Absent for a tool that was not found. */
  readonly toolVersion: string | undefined;
  readonly scope: string;
  readonly taskId: string | undefined;
  readonly agentId: string | undefined;
  readonly userId: string | undefined;
  readonly channel: string | undefined;
  /** The calling program, as it names itself. */
  readonly client: ClientInfo | undefined;
  /** The session of the channel that the call was made in. */
  readonly session: string | undefined;
  /** The project folder that the call is for. */
  readonly project: string | undefined;
  /** The call that made this one, such as a script; undefined for a call of a client, a model or a person. */
  readonly parentCallId: string | undefined;
  /** The outermost call that led to this one; undefined exactly where the parent is. */
  readonly rootCallId: string | undefined;
  /** Exact but for secret parameters, for the digest; never stored as they are. */
  readonly params: unknown;
  /** JSON for people, secrets taken out. */
  readonly paramsText: string;
  /** May be run again without harm; a crash leaves it to be repeated. */
  readonly idempotent: boolean;
  readonly decision: LedgerDecision | undefined;
  /** Unix ms. */
  readonly startedAt: number;
  /** Files that the call may write with data from outside, canonical. They are untrusted from its start. @default none */
  readonly untrustedFiles?: readonly string[];
  /** What the caller has to hold for the call to happen. @default nothing */
  readonly lease?: CallLease;
}

/** A lease on a run of the agent. Another process may take the run once its time is over, and gets another lease then. */
export interface CallLease {
  readonly scope: string;
  /** The id of the run. */
  readonly id: string;
  readonly lease: string;
}

/** Says that a call must not happen, whatever the policy: another process has the run that it is part of. */
export class LeaseLostError extends CodedError<"LEASE_LOST"> {
  override readonly name = "LeaseLostError";

  constructor({ id }: CallLease) {
    super("LEASE_LOST", `another process has the run "${id}", or it was stopped`, { details: { runId: id } });
  }
}

/** What was decided, by what: a rule, a grant or a person. */
export interface LedgerDecision {
  readonly decision: Decision;
  /** The rule as JSON, `grant:<id>`, `person:<who>`, or `default` where no rule named the call. */
  readonly by: string;
}

/** The note of a call that was cancelled before its tool ran: it surely did not happen. */
export const notBegunNote = "not begun";

/** How a recorded call ended. */
export interface LedgerOutcome {
  readonly success: boolean;
  /** The error code of a failure. */
  readonly code: string | undefined;
  /** What the model read, whole: a ledger keeps its digest and how it begins. */
  readonly text: string;
  readonly notes: readonly string[];
  readonly artifactId: string | undefined;
  readonly stillRunning: boolean;
  /** Unix ms. */
  readonly completedAt: number;
  readonly durationMs: number;
  /** Set if the whole text is stored as well, until the caller has stored it itself. */
  readonly keep?: KeptLabels;
  /** Files that it wrote with data from outside, beside those that its start had. @default none */
  readonly untrustedFiles?: readonly string[];
}

/** What an outcome that is stored whole says of where it is from, as the result of the call says it. */
export interface KeptLabels {
  readonly trust: Trust;
  readonly private: boolean;
  /** @default none */
  readonly hosts?: readonly string[];
}

/**
 * The record of every call. `start` resolves once the row will survive a crash, and the effect comes after it;
 * a call that ended before it could have an effect gets an `end` only.
 */
export interface Ledger {
  /**
   * Records that a call begins. Where it rejects, the call is refused, unless {@link LedgerPolicy} says otherwise.
   *
   * @throws {LeaseLostError} if the lease of the call is no longer held: looked at with the write, so that of two
   * processes one makes the call. Its end is not recorded then.
   */
  start(call: LedgerCall): Promise<void>;
  /** Records how a call ended. Where it rejects, the call stays as it was, and `onError` is told. */
  end(call: LedgerCall, outcome: LedgerOutcome): Promise<void>;
  /**
   * Resolves with the time in Unix ms at which the same call began before, for the same task or a related one, if its
   * outcome is unknown. It is called before each call of a task that may not be repeated, so it has to be quick. If it
   * rejects, the call fails, unless calls without a record are allowed. @default no call may have happened already
   */
  mayHaveHappened?(call: RepeatedCall): Promise<number | undefined>;
}

/** A call that may have been made before. */
export interface RepeatedCall extends Pick<LedgerCall, "toolName" | "scope" | "params"> {
  readonly taskId: string;
}
