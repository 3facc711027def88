import type { Worker } from "node:worker_threads";
import { type Clock, getErrorMessage, pause } from "../../base/index.ts";
import { StoreError, type StoreErrorCode, storeErrorCodes } from "../../db/index.ts";
import { startWorker } from "../../host/index.ts";
import type { CallRecord } from "../../modules/ledger/index.ts";
import type { Task } from "../../modules/tasks/index.ts";
import { RecordsError } from "../errors.ts";
import type { KnownSecret, KnownSecrets } from "../secrets/known-secrets.ts";
import type { TraceSpan } from "../trace/trace.ts";
import type { TaskView } from "../views/task-views.ts";
import { JsonBytes } from "./json-bytes.ts";
import type {
  CallCount,
  CallGroup,
  CallsPage,
  EventCursor,
  IndexProgress,
  JsonEvents,
  JsonRecords,
  RecordEvent,
  RecordEvents,
  RecordedCallQuery,
  Records,
  VerificationSince,
} from "./records.ts";
import type {
  LatestEvents,
  RecordsAnswer,
  RecordsFault,
  RecordsMessage,
  RecordsRequest,
  TransferredJson,
} from "./worker-messages.ts";

/** How long the thread is kept after the last request. */
const idleMs = 60_000;
/** Shortest time between two readings of one follower, so that many changes come in few answers. */
const followMs = 100;
const room = { memoryMb: 1024, stackMb: 4 };
const noEvents = new JsonBytes<readonly RecordEvent[]>(new TextEncoder().encode("[]"));

export interface WorkerRecordsOptions {
  /** The path of a store that is open, or was opened before. */
  readonly path: string;
  /** Ends the thread once it has been idle. @default a timer that does not keep the program running */
  readonly clock?: Pick<Clock, "after">;
  /** The secrets that are taken out of answers as JSON. @default none */
  readonly secrets?: Pick<KnownSecrets, "since">;
  /** The module that the thread runs. */
  readonly entry?: URL;
}

const idleClock: Pick<Clock, "after"> = {
  after: (ms, action) => {
    const timer = setTimeout(action, ms).unref();
    return () => clearTimeout(timer);
  },
};

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((rows: number, of: number) => void) | undefined;
}

interface AskOptions {
  readonly onProgress?: Pending["onProgress"];
  /** The answer becomes JSON, and may be compressed. */
  readonly json?: { readonly gzip: boolean };
}

/** Reads records on a thread that is started when it is needed, and ended a minute after. */
export class WorkerRecords implements Records {
  readonly json: JsonRecords = this.#createJsonRecords(false);
  readonly gzip: JsonRecords = this.#createJsonRecords(true);
  readonly #path: string;
  readonly #clock: Pick<Clock, "after">;
  readonly #entry: URL;
  readonly #secrets: WorkerRecordsOptions["secrets"];
  readonly #pending = new Map<number, Pending>();
  #thread: Promise<Worker> | undefined;
  /** How many secrets the thread was told of. */
  #told = 0;
  #lastId = 0;
  #cancelIdle: (() => void) | undefined;
  #isClosed = false;
  readonly #watchers = new Set<(indexing: IndexProgress | undefined) => void>();
  #indexing: IndexProgress | undefined;

  constructor({ path, clock = idleClock, secrets, entry }: WorkerRecordsOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#secrets = secrets;
    this.#entry = entry ?? new URL("./records-worker.ts", import.meta.url);
  }

  get indexing(): IndexProgress | undefined {
    return this.#indexing;
  }

  onIndexing(listener: (indexing: IndexProgress | undefined) => void): () => void {
    this.#watchers.add(listener);
    return () => void this.#watchers.delete(listener);
  }

  listCalls(query: RecordedCallQuery, signal?: AbortSignal): Promise<CallsPage> {
    return this.#ask({ do: "list", query }, signal);
  }

  findCall(callId: string, signal?: AbortSignal): Promise<CallRecord | undefined> {
    return this.#ask({ do: "find", callId }, signal);
  }

  countCalls(query: RecordedCallQuery, by: CallGroup, signal?: AbortSignal): Promise<readonly CallCount[]> {
    return this.#ask({ do: "count", query, by }, signal);
  }

  trace(
    of: { readonly scope: string; readonly id: string },
    signal?: AbortSignal,
  ): Promise<TraceSpan | undefined> {
    return this.#ask({ do: "trace", of }, signal);
  }

  viewTasks(scope: string, tasks: readonly Task[], signal?: AbortSignal): Promise<readonly TaskView[]> {
    return this.#ask({ do: "view-tasks", scope, tasks }, signal);
  }

  verify(
    { all = false, onProgress }: Parameters<Records["verify"]>[0],
    signal?: AbortSignal,
  ): Promise<VerificationSince> {
    return this.#ask({ do: "verify", all }, signal, { onProgress });
  }

  erase(): Promise<void> {
    return this.#ask({ do: "erase" });
  }

  rebuild(signal?: AbortSignal): Promise<void> {
    return this.#ask({ do: "rebuild" }, signal);
  }

  async *follow(after: EventCursor | "now", signal: AbortSignal): AsyncGenerator<RecordEvents, void, void> {
    const cursor = await this.#findStart(after, signal);
    yield { events: [], cursor };
    yield* this.#followFrom<RecordEvents>("events", cursor, signal);
  }

  async *followJson(after: EventCursor | "now", signal: AbortSignal): AsyncGenerator<JsonEvents, void, void> {
    const cursor = await this.#findStart(after, signal);
    yield { events: noEvents, cursor };
    for await (const { bytes, ...rest } of this.#followFrom<LatestEvents>("latest-events", cursor, signal))
      yield { ...rest, events: new JsonBytes(bytes) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#pending.values()) reject(this.#closedError());
    await this.#end();
  }

  #closedError(): StoreError {
    return new StoreError(
      "STORE_CLOSED",
      `Cannot read the store "${this.#path}": it is closed; open it again`,
    );
  }

  async #ask<Result>(
    request: RecordsRequest,
    signal?: AbortSignal,
    { onProgress, json }: AskOptions = {},
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw this.#closedError();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const stop = () => {
      this.#post({ cancel: id });
      reject(signal?.reason);
    };
    this.#pending.set(id, { resolve, reject, onProgress });
    signal?.addEventListener("abort", stop, { once: true });
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
    try {
      this.#post({ id, request, ...(json && { json: { ...json, secrets: this.#tellSecrets() } }) });
      return (await promise) as Result;
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#rest();
    }
  }

  #createJsonRecords(gzip: boolean): JsonRecords {
    const ask = async <Result>(request: RecordsRequest, signal: AbortSignal | undefined): Promise<Result> => {
      const found = await this.#ask<TransferredJson | undefined>(request, signal, { json: { gzip } });
      return (found && new JsonBytes(found.bytes, found.encoding)) as Result;
    };
    return {
      listCalls: (query, signal) => ask({ do: "list", query }, signal),
      countCalls: (query, by, signal) => ask({ do: "count", query, by }, signal),
      traceColumns: (of, signal) => ask({ do: "trace-columns", of }, signal),
    };
  }

  async #findStart(after: EventCursor | "now", signal: AbortSignal): Promise<EventCursor> {
    return after === "now" ? this.#ask<EventCursor>({ do: "end" }, signal) : after;
  }

  /** Yields what comes after a cursor; nothing more is asked for until the caller has taken that. */
  async *#followFrom<Found extends Pick<RecordEvents, "cursor">>(
    what: "events" | "latest-events",
    after: EventCursor,
    signal: AbortSignal,
  ): AsyncGenerator<Found, void, void> {
    for (let cursor = after; ; ) {
      const found = await this.#ask<Found>({ do: what, after: cursor }, signal);
      cursor = found.cursor;
      yield found;
      await pause(this.#clock, followMs, signal);
    }
  }

  /** The secrets that the thread does not know yet. */
  #tellSecrets(): readonly KnownSecret[] {
    this.#thread ??= this.#start();
    const secrets = this.#secrets?.since(this.#told) ?? [];
    this.#told += secrets.length;
    return secrets;
  }

  /** Messages reach the thread in the order in which they are posted. */
  #post(message: RecordsMessage): void {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    thread.then(
      (worker) => {
        if (this.#pending.size > 0) worker.ref();
        worker.postMessage(message);
      },
      (error: unknown) => this.#fail(thread, getErrorMessage(error)),
    );
  }

  #start(): Promise<Worker> {
    this.#told = 0;
    const job = { entry: this.#entry, data: this.#path };
    const thread = startWorker(job, room, new AbortController().signal).then((worker) => {
      worker.unref();
      worker.on("message", (answer: RecordsAnswer) => this.#settle(answer));
      worker.on("error", (error) => this.#fail(thread, error.message));
      worker.on("exit", () => this.#fail(thread, "it ended"));
      return worker;
    });
    return thread;
  }

  #tellIndexing(indexing: IndexProgress | undefined): void {
    this.#indexing = indexing;
    for (const watch of this.#watchers) watch(indexing);
  }

  #settle(answer: RecordsAnswer): void {
    if ("indexing" in answer) return this.#tellIndexing(answer.indexing);
    const pending = this.#pending.get(answer.id);
    if ("progress" in answer) pending?.onProgress?.(answer.progress.rows, answer.progress.of);
    else if ("fault" in answer) pending?.reject(toError(answer.fault));
    else pending?.resolve(answer.result);
  }

  /** Tells whoever waits. The next request starts another thread. */
  #fail(thread: Promise<Worker>, why: string): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#tellIndexing(undefined);
    const message = `Cannot read the records of "${this.#path}": the thread that reads them failed (${why}); try again`;
    for (const { reject } of this.#pending.values()) reject(new RecordsError("RECORDS_FAILED", message));
  }

  #rest(): void {
    if (this.#thread === undefined || this.#isClosed) return;
    this.#thread.then(
      (worker) => {
        if (this.#pending.size === 0) worker.unref();
      },
      () => {}, // Whoever asked was told.
    );
    this.#cancelIdle = this.#clock.after(idleMs, () => void this.#end());
  }

  async #end(): Promise<void> {
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
    const thread = this.#thread;
    this.#thread = undefined;
    this.#indexing = undefined;
    await (await thread?.catch(() => undefined))?.terminate();
  }
}

const storeCodes: ReadonlySet<string> = new Set(storeErrorCodes);

function toError({ name, code, message }: RecordsFault): Error {
  if (name === "RangeError") return new RangeError(message);
  if (code !== undefined && storeCodes.has(code)) return new StoreError(code as StoreErrorCode, message);
  return new RecordsError("RECORDS_FAILED", message);
}
