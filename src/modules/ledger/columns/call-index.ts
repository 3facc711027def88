import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { giveWay } from "../../../host/index.ts";
import { findCallsAt, readLimit } from "../store/call-records.ts";
import type { CallRecord, Verification } from "../store/ledger-store.ts";
import type { Tables } from "../store/tables.ts";
import { verifyChain } from "../store/verify-chain.ts";
import { blockRows } from "./call-block.ts";
import { CallColumns, type OnIndexProgress } from "./call-columns.ts";
import { ColumnFile, type VerifiedUpTo } from "./column-file.ts";
import { type CallCount, type CallGroup, countCalls } from "./count-calls.ts";
import { findCalls, type RecordedCallQuery } from "./find-calls.ts";

/** A page of calls. */
export interface CallsPage {
  readonly rows: readonly CallRecord[];
  /** The `seq` of the newest call of all, whether it fits the query or not. */
  readonly head: number;
  /** Whether more calls fit beyond the limit. */
  readonly more: boolean;
}

/** Options of {@link CallIndex.verify}. */
export interface VerifyCallsOptions {
  /** Verifies all rows instead of those since the last verification. @default false */
  readonly all?: boolean;
  readonly onProgress?: (rows: number, of: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A verification, with the earlier one that it continued. */
export type VerificationSince = Verification & { readonly since: VerifiedUpTo | undefined };

/**
 * Lists and counts the calls of a ledger with an index in a file of its own. Each answer includes every call that was
 * recorded before it was asked for.
 */
export class CallIndex {
  readonly #ledger: TypedDatabase<Tables>;
  readonly #clock: Clock;
  readonly #file: ColumnFile;
  readonly #columns: CallColumns;

  private constructor(ledger: TypedDatabase<Tables>, columns: CallColumns, file: ColumnFile, clock: Clock) {
    this.#ledger = ledger;
    this.#file = file;
    this.#clock = clock;
    this.#columns = columns;
  }

  /** @param ledger May be a connection for reading alone. @param path The file of the index; made if it is missing. */
  static async open(
    ledger: TypedDatabase<Tables>,
    path: string,
    clock: Clock,
    onProgress?: OnIndexProgress,
  ): Promise<CallIndex> {
    const file = await ColumnFile.open(path, clock);
    return new CallIndex(ledger, new CallColumns(ledger, file, onProgress), file, clock);
  }

  async list(query: RecordedCallQuery, signal?: AbortSignal): Promise<CallsPage> {
    const limit = readLimit(query);
    await this.#prepare(query, signal);
    const seqs: number[] = [];
    for await (const some of findCalls(this.#sources, query, signal)) {
      seqs.push(...some);
      if (seqs.length > limit) break;
    }
    giveWay();
    const rows = await findCallsAt(await this.#ledger.queries(), seqs.slice(0, limit));
    return { rows, head: this.#findHead(), more: seqs.length > limit };
  }

  async count(query: RecordedCallQuery, by: CallGroup, signal?: AbortSignal): Promise<readonly CallCount[]> {
    await this.#prepare(query, signal);
    return countCalls(this.#sources, query, by, signal);
  }

  /**
   * Verifies the rows since the last verification, and remembers the last row if all are sound. Only a verification of
   * all rows finds a change to earlier ones.
   */
  async verify({ all = false, onProgress, signal }: VerifyCallsOptions = {}): Promise<VerificationSince> {
    const since = all ? undefined : this.#file.readVerified();
    const reading = { since, onProgress, ...(signal !== undefined && { signal }) };
    const found = await verifyChain(await this.#ledger.queries(), reading);
    if (found.valid) await this.#file.writeVerified({ ...found.head, at: this.#clock.now() });
    return { ...found, since };
  }

  /** Removes the texts of erased calls from the index. */
  async erase(): Promise<void> {
    await this.#columns.catchUp({ save: true });
    this.#file.checkpoint();
  }

  /** Computes the whole index again. The last verification is kept. */
  async rebuild(signal?: AbortSignal): Promise<void> {
    await this.#columns.rebuild();
    await this.#columns.catchUp({ save: true, signal });
    await this.#columns.sign(signal);
  }

  close(): void {
    this.#file.close();
  }

  get #sources() {
    return { ledger: this.#ledger, columns: this.#columns };
  }

  async #prepare({ text = "" }: RecordedCallQuery, signal: AbortSignal | undefined): Promise<void> {
    await this.#columns.catchUp({ signal });
    if (text !== "") await this.#columns.sign(signal);
  }

  #findHead(): number {
    for (let block = this.#columns.blocks - 1; block >= 0; block--) {
      const place = this.#columns.column(block, "state").findLastIndex((state) => state !== 0);
      if (place >= 0) return block * blockRows + place;
    }
    return 0;
  }
}
