import type { CallQuery, CallRecord, CallState, Verification } from "../../modules/ledger/index.ts";
import type { TraceSpan } from "../trace/trace.ts";

/** The calls that a page shows: all that is named has to fit. */
export interface RecordedCallQuery extends Omit<CallQuery, "state" | "tool"> {
  /** @default all */
  readonly states?: readonly CallState[];
  /** @default all */
  readonly tools?: readonly string[];
  /** Error codes. @default all */
  readonly codes?: readonly string[];
  /** Calls that took so long or longer, in ms. */
  readonly minMs?: number;
}

/** A page of calls. */
export interface CallsPage {
  readonly rows: readonly CallRecord[];
  /** The `seq` of the newest call there is, whatever the query. */
  readonly head: number;
  /** There are more calls in the direction of the query. */
  readonly more: boolean;
}

/** Fields that calls are counted by. `hour` and `day` are those of UTC. */
export type CallGroup = "hour" | "day" | "tool" | "agent" | "client" | "state" | "code";

/** The calls of one group. */
export interface CallCount {
  /** An hour or a day is the Unix ms of its beginning, in digits; empty for calls without that field. */
  readonly value: string;
  readonly calls: number;
  readonly failed: number;
  /** Denied or cancelled. */
  readonly stopped: number;
  /** Half of the calls that ended took no longer, in ms. Undefined if none has ended. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** Unix ms. */
  readonly lastAt: number;
}

/** What a verification goes on from: all rows up to this one were sound at that time. */
export interface VerifiedUpTo {
  readonly seq: number;
  readonly hash: string;
  /** Unix ms. */
  readonly at: number;
}

/** Something that changed in the store, in any process. */
export interface RecordEvent {
  readonly seq: number;
  /** Unix ms. */
  readonly at: number;
  /** A call began or ended; a question was asked, answered or lapsed; a run changed its state; a session has a new entry. */
  readonly kind: "call" | "question" | "run" | "session" | "memory";
  /** The id of what changed. */
  readonly id: string;
}

/** How far somebody has read the events of the store. */
export interface EventCursor {
  readonly ledger: number;
  readonly event: number;
}

/** Events in their order, and where the next ones go on. */
export interface RecordEvents {
  readonly events: readonly RecordEvent[];
  readonly cursor: EventCursor;
}

/**
 * Reads of the records on a thread and a connection of their own, so that no reading holds up a call. Each method
 * rejects with an AbortError once its signal is aborted.
 */
export interface Records {
  listCalls(query: RecordedCallQuery, signal?: AbortSignal): Promise<CallsPage>;
  findCall(callId: string, signal?: AbortSignal): Promise<CallRecord | undefined>;
  /** The groups with the most calls first; those of a time in its order. At most 1,000. */
  countCalls(query: RecordedCallQuery, by: CallGroup, signal?: AbortSignal): Promise<readonly CallCount[]>;
  /** Reads what `readTrace` does. */
  trace(
    of: { readonly scope: string; readonly id: string },
    signal?: AbortSignal,
  ): Promise<TraceSpan | undefined>;
  /** Verifies the rows since the last verification, or all. */
  verify(
    options: { readonly all?: boolean; readonly onProgress?: (rows: number, of: number) => void },
    signal?: AbortSignal,
  ): Promise<Verification & { readonly since: VerifiedUpTo | undefined }>;
  /**
   * Events after a cursor as they come, in all processes; those of before at first. It begins with where it stands, even
   * if there are none yet.
   */
  follow(after: EventCursor | "now", signal: AbortSignal): AsyncIterable<RecordEvents>;
  close(): Promise<void>;
}
