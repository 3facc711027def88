import type { ClientInfo, Ledger, LedgerDecision, RepeatedCall } from "../../../kernel/index.ts";
import type { KeptOutcome } from "./kept-outcomes.ts";
import type { ChainHead } from "./ledger-chain.ts";

/** What a call can be seen to have come to. `started`: it runs. `unknown`: its process died before it ended. */
export const callStates = ["started", "completed", "failed", "denied", "cancelled", "unknown"] as const;

/** One of {@link callStates}. */
export type CallState = (typeof callStates)[number];

/** One call, put together from its rows. Texts are as they were stored: redacted, and cut where they were long. */
export interface CallRecord {
  /** The number of the call's first row: grows with time, and says where the next page begins. */
  readonly seq: number;
  /** The hash of the call's first row, as the chain has it. */
  readonly hash: string;
  /** The last row of the call, where that is not its first: its end, or that it was found unknown. */
  readonly end: ChainHead | undefined;
  /** The process that made the call. */
  readonly runId: string;
  readonly callId: string;
  readonly state: CallState;
  readonly toolName: string;
  readonly toolVersion: string | undefined;
  readonly scope: string;
  readonly taskId: string | undefined;
  readonly agentId: string | undefined;
  readonly userId: string | undefined;
  readonly channel: string | undefined;
  /** The calling program, as it named itself. */
  readonly client: ClientInfo | undefined;
  /** The session of the channel that the call was made in. */
  readonly session: string | undefined;
  /** The project folder that the call was for; undefined in records of before version 14 of the store. */
  readonly project: string | undefined;
  /** The call that made this one: a chain, a script or another tool. Undefined for a call that no other made. */
  readonly parent: { readonly callId: string; readonly toolName: string } | undefined;
  /**
   * The outermost call that led to this one; undefined for a call that no other made, and in records from before
   * version 24 of the store.
   */
  readonly rootCallId: string | undefined;
  /** It may be run again without harm, so an unknown outcome need not worry anybody. */
  readonly idempotent: boolean;
  readonly decision: LedgerDecision | undefined;
  /** SHA-256 (hex) of the canonical JSON of the exact arguments; undefined if they were no JSON value. */
  readonly paramsDigest: string | undefined;
  readonly paramsText: string;
  /** Unix ms. */
  readonly startedAt: number;
  /** Unix ms; for an unknown call, when it was found to be unknown. */
  readonly endedAt: number | undefined;
  readonly durationMs: number | undefined;
  /** The error code of a failure. */
  readonly code: string | undefined;
  /** How what the model read begins: 500 characters, and then how many more there were. */
  readonly summary: string | undefined;
  /** SHA-256 (hex) of all that the model read; undefined for a call without an end, or from before digests were kept. */
  readonly resultDigest: string | undefined;
  readonly notes: readonly string[];
  readonly artifactId: string | undefined;
  /** The tool did not stop when it was told to. */
  readonly stillRunning: boolean;
  /** Its arguments and its result were erased. */
  readonly erased: boolean;
}

/** Which calls to list: all that is named has to fit. */
export interface CallQuery {
  /** This scope and those below it. @default all */
  readonly scope?: string;
  readonly tool?: string;
  /** Calls with one of these ids. @default the calls of every id */
  readonly callIds?: readonly string[];
  readonly state?: CallState;
  readonly taskId?: string;
  /** Calls of one process. */
  readonly runId?: string;
  readonly agentId?: string;
  /** Calls for this project folder. */
  readonly project?: string;
  /** Calls of programs that named themselves so, whatever their version. */
  readonly client?: string;
  readonly session?: string;
  /** Calls that the call with this id led to, without that call. */
  readonly rootCallId?: string;
  /** Calls whose arguments or result hold this text, as far as both are kept; letters A to Z in either case. */
  readonly text?: string;
  /** Unix ms; calls that started then or later. */
  readonly since?: number;
  /** Unix ms; calls that started before then. */
  readonly until?: number;
  /** Only calls before the one with this `seq`: the last one of the page before. */
  readonly before?: number;
  /** Oldest first, and only calls after the one with this `seq`; 0 for the beginning. */
  readonly after?: number;
  /** 1 to 1,000. @default 50 */
  readonly limit?: number;
}

/** The calls of one version of a tool that have ended. */
export interface VersionOutcomes {
  readonly version: string;
  readonly completed: number;
  readonly failed: number;
  /** Denied or cancelled: no fault of the version. */
  readonly stopped: number;
  /** The average time of those that completed. */
  readonly averageMs: number | undefined;
  /** Unix ms. */
  readonly lastAt: number;
}

/**
 * The outcome of an erasure. `running`: the call has not ended. `unerasable`: it is from before version 25 of the
 * store, when the chain covered the texts themselves.
 */
export type Erasure = "erased" | "not-found" | "running" | "unerasable";

/** What was done to a row. `removed` and `truncated` name the first row that is missing. */
export const chainFaults = ["edited", "removed", "inserted", "reordered", "truncated"] as const;

/** One of {@link chainFaults}. */
export type ChainFault = (typeof chainFaults)[number];

/** Whether the chain of records is whole, or where it breaks first. */
export type Verification =
  | {
      readonly valid: true;
      readonly rows: number;
      /** Calls whose texts were erased. */
      readonly erased: number;
      readonly head: ChainHead;
    }
  | {
      readonly valid: false;
      /** Sound rows before the broken one. */
      readonly rows: number;
      readonly broken: { readonly seq: number; readonly fault: ChainFault; readonly message: string };
    };

/** What a verification is held against. */
export interface VerifyOptions {
  /**
   * A head that an earlier verification returned and that was kept elsewhere. With it, a chain that was rewritten
   * from there on, its end included, is found out as well.
   */
  readonly anchor?: ChainHead;
  readonly signal?: AbortSignal;
}

/** The ledger with its reading side. */
export interface LedgerStore extends Ledger {
  /** Newest first, but for a query with `after`. Throws RangeError for a limit out of bounds. */
  list(query?: CallQuery): Promise<readonly CallRecord[]>;
  /** The newest call of that id; undefined if there is none. */
  show(callId: string): Promise<CallRecord | undefined>;
  /** How the calls of one tool came out, by its version; the one called last first. @param since Unix ms */
  outcomes(of: {
    readonly tool: string;
    readonly since?: number | undefined;
  }): Promise<readonly VersionOutcomes[]>;
  /** The whole outcome of a call that was made with `keepOutcome`; undefined once it was forgotten. */
  outcome(callId: string): Promise<KeptOutcome | undefined>;
  /** Deletes the outcomes of calls whose ids begin with the prefix, and of all calls of more than seven days ago. */
  forgetOutcomes(prefix: string): Promise<void>;
  mayHaveHappened(call: RepeatedCall): Promise<number | undefined>;
  /** Files that calls wrote with data from outside, the latest last. */
  untrustedFiles(): Promise<readonly string[]>;
  /**
   * Asks the process that makes a call to cancel it, whichever process that is. Resolves once the request is stored; the
   * process reads it within a second.
   *
   * @param by who asks for it, in the words of the call's error: `a person in the console`
   */
  requestCancel(callId: string, by: string): Promise<void>;
  /** Records the open calls of processes that have died since the store was opened as unknown. */
  recover(): Promise<void>;
  /**
   * Erases the arguments and the result of a call for good, in all its rows, and records who did. The call itself, its
   * decision and how it ended stay, and the chain still verifies.
   *
   * @param by `person:<who>`
   */
  erase(callId: string, by: string): Promise<Erasure>;
  /** Goes through the whole chain and stops at the first row that is not what was written. */
  verify(options?: VerifyOptions): Promise<Verification>;
}
