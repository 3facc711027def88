import { type Clock, isPromise, type MaybePromise } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { StoreError } from "../../../db/index.ts";
import {
  type CallLease,
  LeaseLostError,
  type LedgerCall,
  type LedgerOutcome,
  type RepeatedCall,
} from "../../../kernel/index.ts";
import { findCall, listCalls } from "./call-records.ts";
import { CancelRequests, type OnCancel } from "./cancel-requests.ts";
import { eraseCall } from "./erase-call.ts";
import { GroupCommit } from "./group-commit.ts";
import { type KeptOutcome, KeptOutcomes, toKeptRow } from "./kept-outcomes.ts";
import { type ChainHead, LedgerChain, type SealedRow } from "./ledger-chain.ts";
import {
  type EndedOutcome,
  endedRow,
  type LooseRow,
  seal,
  startedRow,
  storedName,
  wholeRow,
  withoutText,
} from "./ledger-row.ts";
import type {
  CallQuery,
  CallRecord,
  Erasure,
  LedgerStore,
  Verification,
  VerifyOptions,
  VersionOutcomes,
} from "./ledger-store.ts";
import { recoverCalls } from "./recover.ts";
import { Runs } from "./runs.ts";
import type { CallOutcomeRow, Tables, UntrustedFileRow } from "./tables.ts";
import { UnsettledCalls } from "./unsettled-calls.ts";
import { toFileRows, UntrustedFileRows } from "./untrusted-files.ts";
import { verifyChain } from "./verify-chain.ts";
import { countOutcomes } from "./version-outcomes.ts";

interface StartItem {
  readonly callId: string;
  readonly row: LooseRow;
  readonly lease: CallLease | undefined;
  /** Set by the write: the lease was not held, and there is no row. */
  isRefused: boolean;
  /** Set where the call ends before its start is written: then it has one row. */
  outcome: EndedOutcome | undefined;
  kept: CallOutcomeRow | undefined;
  /** Files that the call writes with data from outside. */
  files: readonly UntrustedFileRow[];
}

interface EndItem {
  readonly callId: string;
  readonly call: LedgerCall;
  readonly outcome: EndedOutcome;
  /** Set where the whole outcome is kept. */
  readonly kept: CallOutcomeRow | undefined;
  readonly files: readonly UntrustedFileRow[];
}

/** The row of a call's start; null once it has ended. */
type OpenCalls = Map<string, number | null>;

/** The ledger over any {@link TypedDatabase}. */
export class SqlLedger implements LedgerStore {
  readonly #db: TypedDatabase<Tables>;
  readonly #chain: LedgerChain;
  readonly #runs: Runs;
  readonly #outcomes: KeptOutcomes;
  readonly #unsettled: UnsettledCalls;
  readonly #files: UntrustedFileRows;
  readonly #clock: Clock;
  readonly #runId: string;
  readonly #commit = new GroupCommit<StartItem | EndItem>((items) => this.#write(items));
  /** Calls of this process that have started and not ended, with the row of their start. */
  readonly #open = new Map<string, number>();
  /** Starts that wait to be written, with the promises of their writes. */
  readonly #unwritten = new Map<string, { readonly item: StartItem; readonly written: Promise<void> }>();
  /** Calls that were refused their start, and have not ended. */
  readonly #refused = new Set<string>();
  readonly #cancels: CancelRequests;
  readonly #holdsLease: (lease: CallLease) => boolean;
  #begun = false;
  #beginning: Promise<void> | undefined;
  #closed = false;

  constructor(
    db: TypedDatabase<Tables>,
    options: {
      readonly clock: Clock;
      readonly runId: string;
      readonly onCancel?: OnCancel | undefined;
      /** Looks within the write of a call's start. @default each lease is held */
      readonly holdsLease?: (lease: CallLease) => boolean;
    },
  ) {
    const { clock, onCancel, holdsLease = () => true } = options;
    this.#holdsLease = holdsLease;
    this.#db = db;
    this.#chain = new LedgerChain(db);
    this.#runs = new Runs(db);
    this.#outcomes = new KeptOutcomes(db);
    this.#unsettled = new UnsettledCalls(db, options.runId);
    this.#files = new UntrustedFileRows(db);
    this.#clock = options.clock;
    this.#runId = options.runId;
    this.#cancels = new CancelRequests(db, { clock, open: this.#open, onCancel });
  }

  /** Takes down what the call is at once: what happens to its arguments later is not in the record. */
  start(call: LedgerCall): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closedError());
    const callId = storedName(call.callId);
    const item: StartItem = {
      callId,
      row: startedRow(call, this.#runId),
      lease: call.lease,
      isRefused: false,
      outcome: undefined,
      kept: undefined,
      files: toFileRows(callId, call.untrustedFiles, call.startedAt),
    };
    const { lease } = call;
    const added = this.#commit.add(item);
    const written =
      lease === undefined
        ? added
        : added.then(() => {
            if (item.isRefused) throw new LeaseLostError(lease);
          });
    this.#unwritten.set(callId, { item, written });
    return written;
  }

  end(call: LedgerCall, outcome: LedgerOutcome): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closedError());
    const callId = storedName(call.callId);
    if (this.#refused.delete(callId)) return Promise.resolve();
    const ended = withoutText(outcome);
    const kept = toKeptRow(callId, outcome);
    const files = toFileRows(callId, outcome.untrustedFiles, outcome.completedAt);
    const start = this.#unwritten.get(callId);
    if (start === undefined) return this.#commit.add({ callId, call, outcome: ended, kept, files });
    this.#unwritten.delete(callId);
    start.item.outcome = ended;
    start.item.kept = kept;
    start.item.files = [...start.item.files, ...files];
    return start.written;
  }

  async list(query: CallQuery = {}): Promise<readonly CallRecord[]> {
    return listCalls(await this.#db.queries(), query);
  }

  async show(callId: string): Promise<CallRecord | undefined> {
    return findCall(await this.#db.queries(), storedName(callId));
  }

  outcome(callId: string): Promise<KeptOutcome | undefined> {
    return this.#outcomes.find(storedName(callId));
  }

  forgetOutcomes(prefix: string): Promise<void> {
    return this.#outcomes.forget(prefix, this.#clock.now());
  }

  untrustedFiles(): Promise<readonly string[]> {
    return Promise.resolve(this.#files.list());
  }

  requestCancel(callId: string, by: string): Promise<void> {
    return this.#cancels.request(storedName(callId), by);
  }

  async recover(): Promise<void> {
    const unknown = await recoverCalls(this.#db, { clock: this.#clock, runId: this.#runId });
    if (unknown.length > 0) this.#unsettled.clear();
  }

  /** Looks anew for calls of tasks that may have happened: this process has such a task from another one. */
  noteTakeover(): void {
    this.#unsettled.clear();
  }

  mayHaveHappened(call: RepeatedCall): Promise<number | undefined> {
    return this.#unsettled.find(call);
  }

  async outcomes(of: Parameters<LedgerStore["outcomes"]>[0]): Promise<readonly VersionOutcomes[]> {
    return countOutcomes(await this.#db.queries(), of);
  }

  async erase(callId: string, by: string): Promise<Erasure> {
    await this.begin();
    return eraseCall(storedName(callId), {
      db: this.#db,
      chain: this.#chain,
      runId: this.#runId,
      now: this.#clock.now(),
      by,
    });
  }

  async verify(options: VerifyOptions = {}): Promise<Verification> {
    return verifyChain(await this.#db.queries(), options);
  }

  /** Lets other processes know that this one is alive, until it closes; the first call does so by itself. */
  async begin(): Promise<void> {
    if (this.#begun) return;
    this.#beginning ??= this.#begin();
    await this.#beginning;
  }

  async #begin(): Promise<void> {
    try {
      this.#cancels.begin();
      await this.#runs.begin(this.#runId, this.#clock.now());
      this.#begun = true;
    } finally {
      this.#beginning = undefined;
    }
  }

  /** Writes what is under way and takes no more. Calls that have not ended are the next opener's to call unknown. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancels.close();
    await this.#commit.drain();
    if (this.#begun) await this.#runs.end(this.#runId, this.#open.size === 0);
  }

  #write(items: readonly (StartItem | EndItem)[]): MaybePromise<void> {
    for (const item of items)
      if (this.#unwritten.get(item.callId)?.item === item) this.#unwritten.delete(item.callId);
    if (this.#begun) return this.#append(items);
    return this.begin().then(() => this.#append(items));
  }

  #append(items: readonly (StartItem | EndItem)[]): MaybePromise<void> {
    let opened: OpenCalls = new Map();
    let taken = items;
    const hasMore = items.some(({ kept, files }) => kept !== undefined || files.length > 0);
    const appended = this.#chain.append(
      (head) => {
        opened = new Map();
        taken = items.filter((item) => this.#isTaken(item));
        return this.#seal(taken, head, opened);
      },
      hasMore
        ? () => {
            this.#outcomes.insert(taken.flatMap(({ kept }) => kept ?? []));
            this.#files.insert(taken.flatMap(({ files }) => files));
          }
        : undefined,
    );
    const note = () => {
      for (const item of items)
        if ("row" in item && item.isRefused && item.outcome === undefined) this.#refused.add(item.callId);
      this.#note(opened);
    };
    if (isPromise(appended)) return appended.then(note);
    note();
  }

  /** Whether the item gets a row: of a call whose lease another process has, nothing is written. */
  #isTaken(item: StartItem | EndItem): boolean {
    if (!("row" in item) || item.lease === undefined) return true;
    item.isRefused = !this.#holdsLease(item.lease);
    return !item.isRefused;
  }

  /** Gives each item its place in the chain, and notes in `opened` what that starts and ends. */
  #seal(items: readonly (StartItem | EndItem)[], head: ChainHead, opened: OpenCalls): SealedRow[] {
    let at = head;
    return items.map((item) => {
      const { callId, outcome } = item;
      const isFirst = "row" in item;
      const known = opened.get(callId);
      const startSeq = isFirst ? null : known === undefined ? (this.#open.get(callId) ?? null) : known;
      const loose = isFirst
        ? toFirstRow(item)
        : endedRow(item.call, item.outcome, this.#runId, startSeq === null);
      const row = seal(loose, startSeq, at);
      opened.set(callId, outcome === undefined ? row.seq : null);
      at = row;
      return row;
    });
  }

  #note(opened: OpenCalls): void {
    for (const [callId, seq] of opened) {
      if (seq === null) this.#open.delete(callId);
      else this.#open.set(callId, seq);
    }
    if (!this.#closed) this.#cancels.follow();
  }

  #closedError(): StoreError {
    return new StoreError(
      "STORE_CLOSED",
      `Cannot write to the ledger of "${this.#db.path}": it is closed; open it again`,
    );
  }
}

function toFirstRow({ row, outcome }: StartItem): LooseRow {
  return outcome === undefined ? row : wholeRow(row, outcome);
}
