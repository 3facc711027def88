import type { IndexProgress } from "../../modules/ledger/columns/index.ts";
import type {
  CallCount,
  CallGroup,
  CallRecord,
  CallsPage,
  RecordedCallQuery,
  VerificationSince,
  VerifiedUpTo,
} from "../../modules/ledger/index.ts";
import type { Task } from "../../modules/tasks/index.ts";
import type { TraceColumns } from "../trace/columns.ts";
import type { TraceSpan } from "../trace/trace.ts";
import type { TaskView } from "../views/task-views.ts";
import type { JsonBytes } from "./json-bytes.ts";

export type {
  CallCount,
  CallGroup,
  CallsPage,
  IndexProgress,
  RecordedCallQuery,
  VerificationSince,
  VerifiedUpTo,
};

/** Something that changed in the store, in any process. */
export interface RecordEvent {
  readonly seq: number;
  /** Unix ms. */
  readonly at: number;
  /** A call began or ended; a question was asked, answered or lapsed; a run changed its state; a session has a new entry; a task changed. */
  readonly kind: "call" | "question" | "run" | "session" | "memory" | "task";
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
  /** Events before these are no longer kept and were never given: whoever follows must read anew what they show. */
  readonly isGap?: true;
  readonly cursor: EventCursor;
}

/** {@link RecordEvents} whose list of events is JSON. */
export interface JsonEvents extends Omit<RecordEvents, "events"> {
  readonly events: JsonBytes<readonly RecordEvent[]>;
}

/**
 * Answers as JSON, for programs that only pass them on. They are made on the records' thread, so that a large answer
 * does not hold up a call either.
 */
export interface JsonRecords {
  listCalls(query: RecordedCallQuery, signal?: AbortSignal): Promise<JsonBytes<CallsPage>>;
  countCalls(
    query: RecordedCallQuery,
    by: CallGroup,
    signal?: AbortSignal,
  ): Promise<JsonBytes<readonly CallCount[]>>;
  /** The trace of a run, session or call as columns. */
  traceColumns(
    of: { readonly scope: string; readonly id: string },
    signal?: AbortSignal,
  ): Promise<JsonBytes<TraceColumns> | undefined>;
}

/**
 * Reads of the records on a thread and a connection of their own, so that no reading holds up a call. Each method
 * rejects with the reason of its signal once that is aborted.
 */
export interface Records {
  readonly json: JsonRecords;
  /** The answers of {@link json}, compressed by gzip if they are long. */
  readonly gzip: JsonRecords;
  /** How far the index of calls is, while answers wait for many rows to be entered. */
  readonly indexing: IndexProgress | undefined;
  /** Calls back whenever {@link indexing} changes, until the returned function is called. */
  onIndexing(listener: (indexing: IndexProgress | undefined) => void): () => void;
  listCalls(query: RecordedCallQuery, signal?: AbortSignal): Promise<CallsPage>;
  findCall(callId: string, signal?: AbortSignal): Promise<CallRecord | undefined>;
  /** The groups with the most calls first; those of a time in its order. At most 1,000: the largest, or the latest. */
  countCalls(query: RecordedCallQuery, by: CallGroup, signal?: AbortSignal): Promise<readonly CallCount[]>;
  /** Finds the trace of a run, session or call, as `readTrace` does. */
  trace(
    of: { readonly scope: string; readonly id: string },
    signal?: AbortSignal,
  ): Promise<TraceSpan | undefined>;
  /** Says how tasks of one scope stand, as `readTaskViews` does. */
  viewTasks(scope: string, tasks: readonly Task[], signal?: AbortSignal): Promise<readonly TaskView[]>;
  /** Verifies the rows since the last verification, or all. */
  verify(
    options: { readonly all?: boolean; readonly onProgress?: (rows: number, of: number) => void },
    signal?: AbortSignal,
  ): Promise<VerificationSince>;
  /** Takes the texts of erased calls out of what is computed for reading. */
  erase(): Promise<void>;
  /** Computes anew what is computed for reading. */
  rebuild(signal?: AbortSignal): Promise<void>;
  /**
   * Events after a cursor as they come, in all processes; those of before at first. It begins with where it stands, even
   * if there are none yet.
   */
  follow(after: EventCursor | "now", signal: AbortSignal): AsyncIterable<RecordEvents>;
  /**
   * Follows as {@link follow} does, with the latest event of each thing that changed. Whoever falls more than 5,000 events
   * behind is given a gap instead of them.
   */
  followJson(after: EventCursor | "now", signal: AbortSignal): AsyncIterable<JsonEvents>;
  close(): Promise<void>;
}
