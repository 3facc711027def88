import { type Clock, systemClock } from "../../base/index.ts";
import { type Database, openSqliteReader, removeDerivedFile, toStoreError } from "../../db/index.ts";
import { SqlApprovals } from "../../modules/approvals/index.ts";
import { CallIndex, type OnIndexProgress } from "../../modules/ledger/columns/index.ts";
import { type CallRecord, SqlLedger } from "../../modules/ledger/index.ts";
import { SqlRuns, SqlSessions } from "../../modules/sessions/index.ts";
import { SqlRunTree, SqlTasks, type Task } from "../../modules/tasks/index.ts";
import { SqlUsage } from "../../modules/usage/index.ts";
import { type TraceColumns, toTraceColumns } from "../trace/columns.ts";
import { readTrace, type TraceSpan, type TraceStore } from "../trace/trace.ts";
import { readTaskViews, type TaskView, type TaskViewStore } from "../views/task-views.ts";
import { toIndexPath } from "./index-path.ts";
import type {
  CallCount,
  CallGroup,
  CallsPage,
  EventCursor,
  RecordEvents,
  RecordedCallQuery,
  VerificationSince,
} from "./records.ts";
import { StoreEvents } from "./store-events.ts";

export interface ReaderOptions {
  readonly clock?: Clock;
  /** Is told how far the index is while many rows are entered into it, and undefined at the end. */
  readonly onIndexProgress?: OnIndexProgress;
}

/** Reads the records of a store on the thread that it is called on. */
export class RecordReader {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #db: Database;
  readonly #traced: TraceStore;
  readonly #tasks: TaskViewStore;
  readonly #events: StoreEvents;
  readonly #onIndexProgress: OnIndexProgress | undefined;
  #index: Promise<CallIndex> | undefined;

  private constructor(db: Database, path: string, { clock = systemClock, onIndexProgress }: ReaderOptions) {
    this.#db = db;
    this.#onIndexProgress = onIndexProgress;
    this.#path = path;
    this.#clock = clock;
    const ledger = new SqlLedger(db, { clock, runId: "" });
    const usage = new SqlUsage(db, { clock, processId: "", begin: () => ledger.begin() });
    const runs = new SqlRuns(db, { clock });
    this.#traced = {
      ledger,
      usage,
      runs,
      sessions: new SqlSessions(db, { clock }),
      approvals: new SqlApprovals(db, { clock, redact: undefined }),
    };
    this.#tasks = {
      tasks: new SqlTasks(db, { clock }),
      runs,
      taskRuns: { read: async (look) => look(new SqlRunTree(await db.queries(), usage)) },
    };
    this.#events = new StoreEvents(db, clock);
  }

  /** @param path A store that was opened before, so that its tables are those of this version. */
  static async open(path: string, options: ReaderOptions = {}): Promise<RecordReader> {
    const { clock = systemClock } = options;
    const db = await openSqliteReader({ path, clock, busyTimeoutMs: 10_000 });
    return new RecordReader(db, path, options);
  }

  listCalls(query: RecordedCallQuery, signal?: AbortSignal): Promise<CallsPage> {
    return this.#withIndex((index) => index.list(query, signal));
  }

  findCall(callId: string): Promise<CallRecord | undefined> {
    return this.#traced.ledger.show(callId);
  }

  countCalls(query: RecordedCallQuery, by: CallGroup, signal?: AbortSignal): Promise<readonly CallCount[]> {
    return this.#withIndex((index) => index.count(query, by, signal));
  }

  trace(
    of: { readonly scope: string; readonly id: string },
    signal: AbortSignal,
  ): Promise<TraceSpan | undefined> {
    return readTrace(this.#traced, { ...of, signal });
  }

  async traceColumns(
    of: { readonly scope: string; readonly id: string },
    signal: AbortSignal,
  ): Promise<TraceColumns | undefined> {
    const trace = await this.trace(of, signal);
    return trace && toTraceColumns(trace, this.#clock.now());
  }

  viewTasks(scope: string, tasks: readonly Task[]): Promise<readonly TaskView[]> {
    return readTaskViews(this.#tasks, tasks, { scope, now: this.#clock.now() });
  }

  verify(
    options: { readonly all?: boolean; readonly onProgress?: (rows: number, of: number) => void },
    signal?: AbortSignal,
  ): Promise<VerificationSince> {
    return this.#withIndex((index) => index.verify({ ...options, signal }));
  }

  erase(): Promise<void> {
    return this.#withIndex((index) => index.erase());
  }

  rebuild(signal?: AbortSignal): Promise<void> {
    return this.#withIndex((index) => index.rebuild(signal));
  }

  /** The newest events. */
  findEnd(): EventCursor {
    return this.#events.findEnd();
  }

  /** Waits until there are events after a cursor. */
  nextEvents(after: EventCursor, signal: AbortSignal): Promise<RecordEvents> {
    return this.#events.next(after, signal);
  }

  /** Waits until there are events after a cursor, and gives the latest of each thing that changed. */
  nextLatest(after: EventCursor, signal: AbortSignal): Promise<RecordEvents> {
    return this.#events.nextLatest(after, signal);
  }

  async close(): Promise<void> {
    try {
      (await this.#index)?.close();
    } finally {
      await this.#db.close();
    }
  }

  /** An index that turns out to be damaged is made anew. */
  async #withIndex<Result>(read: (index: CallIndex) => Promise<Result>): Promise<Result> {
    try {
      return await this.#read(read);
    } catch (thrown) {
      if (!isSqliteFault(thrown)) throw thrown;
      const error = toStoreError(thrown, "read", toIndexPath(this.#path));
      if (error.code !== "STORE_CORRUPT") throw error;
      await this.#index?.then((index) => index.close()).catch(() => {});
      this.#index = undefined;
      removeDerivedFile(toIndexPath(this.#path));
      return await this.#read(read);
    }
  }

  async #read<Result>(read: (index: CallIndex) => Promise<Result>): Promise<Result> {
    const opening =
      this.#index ?? CallIndex.open(this.#db, toIndexPath(this.#path), this.#clock, this.#onIndexProgress);
    this.#index = opening;
    try {
      await opening;
    } catch (error) {
      this.#index = undefined;
      throw error;
    }
    return read(await opening);
  }
}

function isSqliteFault(thrown: unknown): boolean {
  return thrown instanceof Error && ("errcode" in thrown || thrown.name === "StoreError");
}
