import { setImmediate } from "node:timers/promises";
import { FairSemaphore } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import type { Tables } from "../store/tables.ts";
import {
  type Block,
  blockRows,
  type ColumnName,
  columnNames,
  emptyColumn,
  enterRow,
  type IndexedRow,
  NameHashes,
  readRowsSql,
  toBlockNumber,
} from "./call-block.ts";
import type { ColumnFile, FilledTo } from "./column-file.ts";
import type { PackedColumn } from "./pack-column.ts";
import { addBits, findBits } from "./text-signature.ts";

/** Rows of the ledger that one statement reads. SQLite blocks the thread, so other requests run between two statements. */
const sliceRows = 2000;
/** Rows that are held in memory before they are written. With fewer, the same block would be written more often. */
const unwrittenRows = blockRows;

const blockTextsSql = `select "first"."params_text" as "params", coalesce("ended"."summary", "first"."summary") as "summary" from "ledger" as "first" left join "ledger" as "ended" on "ended"."call_id" = "first"."call_id" and "ended"."start_seq" = "first"."seq" and "ended"."event" = 'ended' where "first"."seq" between ? and ? and "first"."start_seq" is null order by "first"."seq"`;

/** Fewer rows are entered before anybody would ask how far it is. */
const untoldRows = 20_000;

/** How far the index is, while it is filled with many rows. */
export interface IndexProgress {
  /** What is entered: first the calls, then the texts by which they are searched. */
  readonly part: "calls" | "texts";
  /** Rows of the ledger that are entered. */
  readonly rows: number;
  readonly of: number;
}

/** Is told how far it is, and undefined at the end. */
export type OnIndexProgress = (progress: IndexProgress | undefined) => void;

/** What tells of one part of the work. */
interface Telling {
  readonly tell: (rows: number) => void;
  readonly end: () => void;
}

const silent: Telling = { tell: () => {}, end: () => {} };

interface CallTexts {
  readonly params: string | null;
  readonly summary: string | null;
}

/**
 * The calls of a ledger as columns of numbers, in blocks, which are read and filtered much faster than rows. They are
 * computed from the ledger when somebody asks, never when a call is recorded. All processes compute the same columns. If
 * another process wrote first, this one reads what it wrote and goes on from there.
 */
export class CallColumns {
  readonly #ledger: TypedDatabase<Tables>;
  readonly #file: ColumnFile;
  readonly #turn = new FairSemaphore(1);
  /** The state of the file when this process last read or wrote it. */
  #base: FilledTo | undefined;
  /** The state in memory, which may be ahead of the file. */
  #filled: FilledTo = { key: "", seq: 0, hash: "", signed: 0 };
  #names = new NameHashes("");
  /** Blocks with rows that are not in the file yet. */
  readonly #changed = new Map<number, Block>();
  /** Calls whose texts may have changed since the signatures of their block were written. */
  readonly #changedTexts = new Set<number>();

  readonly #onProgress: OnIndexProgress;

  constructor(ledger: TypedDatabase<Tables>, file: ColumnFile, onProgress: OnIndexProgress = () => {}) {
    this.#ledger = ledger;
    this.#file = file;
    this.#onProgress = onProgress;
  }

  /** The last row of the ledger that is in the columns. */
  get end(): number {
    return this.#filled.seq;
  }

  get names(): Pick<NameHashes, "find"> {
    return this.#names;
  }

  /** The number of blocks, with the last one, which may be filled in part. */
  get blocks(): number {
    return toBlockNumber(this.#filled.seq) + 1;
  }

  /** Blocks before this one have signatures. */
  get signed(): number {
    return this.#filled.signed;
  }

  /**
   * Enters the rows that were added to the ledger since the last time.
   *
   * @param save Write them to the file, even if they fill no block. @default false
   */
  async catchUp({
    save = false,
    signal,
  }: {
    readonly save?: boolean;
    readonly signal?: AbortSignal | undefined;
  } = {}): Promise<void> {
    await this.#turn.acquire("columns", signal);
    let told: Telling = silent;
    let mustSave = save;
    try {
      await this.#reload();
      told = this.#tellFrom("calls", this.#filled.seq, this.#findEnd());
      for (;;) {
        signal?.throwIfAborted();
        told.tell(this.#filled.seq);
        const rows = this.#ledger.prepare(readRowsSql).all(this.#filled.seq, sliceRows) as IndexedRow[];
        for (const row of rows) {
          this.#enter(row);
          // Whoever erased may have been killed before the signatures of the texts were gone from the file.
          mustSave ||= row.event === "erased";
        }
        const isLast = rows.length < sliceRows;
        const unwritten = this.#filled.seq - (this.#base?.seq ?? 0);
        if (unwritten >= unwrittenRows || (isLast && mustSave && unwritten > 0)) {
          // Another process wrote first.
          if (!(await this.#write())) {
            await this.#reload();
            continue;
          }
        }
        if (isLast) return;
        await setImmediate();
      }
    } finally {
      told.end();
      this.#turn.release();
    }
  }

  /** Computes the signatures of full blocks that have none yet. */
  async sign(signal?: AbortSignal): Promise<void> {
    if (!this.#mustSign()) return;
    await this.catchUp({ save: true, signal });
    await this.#turn.acquire("columns", signal);
    const told = this.#tellFrom("texts", this.#filled.signed * blockRows, this.#filled.seq);
    try {
      while (this.#mustSign()) {
        signal?.throwIfAborted();
        told.tell(this.#filled.signed * blockRows);
        // Another process signs them. A search reads the texts of blocks without signatures.
        if (!(await this.#signBlock(this.#filled.signed))) return;
        await setImmediate();
      }
    } finally {
      told.end();
      this.#turn.release();
    }
  }

  /** The last row of the ledger. */
  #findEnd(): number {
    const row = this.#ledger.prepare('select max("seq") as "seq" from "ledger"').get();
    return (row as { readonly seq: number | null } | undefined)?.seq ?? 0;
  }

  /** Tells of work from one row to another, if that is much. */
  #tellFrom(part: IndexProgress["part"], from: number, of: number): Telling {
    if (of - from < untoldRows) return silent;
    return {
      tell: (rows) => this.#onProgress({ part, rows: Math.min(rows, of), of }),
      end: () => this.#onProgress(undefined),
    };
  }

  #mustSign(): boolean {
    return (this.#filled.signed + 1) * blockRows <= this.#filled.seq + 1;
  }

  /** Deletes all columns and signatures; {@link catchUp} and {@link sign} compute them again. */
  async rebuild(): Promise<void> {
    await this.#turn.acquire("columns");
    try {
      await this.#file.clear();
      this.#base = undefined;
    } finally {
      this.#turn.release();
    }
  }

  column(block: number, name: ColumnName): Float64Array {
    return (
      this.#changed.get(block)?.[name] ?? this.#file.readColumn(block, name)?.unpack() ?? emptyColumn(name)
    );
  }

  /** The packed column of a block; undefined for a block with rows that are only in memory. */
  packed(block: number, name: ColumnName): PackedColumn | undefined {
    return this.#changed.has(block) ? undefined : this.#file.readColumn(block, name);
  }

  /**
   * Tells which calls of a block may contain a text. Undefined for a block without signatures, and for a text that is
   * too short to have one.
   */
  findByText(block: number, text: string): ((seq: number) => boolean) | undefined {
    if (block >= this.#filled.signed) return undefined;
    const bits = findBits(text.toWellFormed());
    if (bits.length === 0) return undefined;
    const hasChangedText = (seq: number) => this.#changedTexts.has(seq);
    let both: Uint8Array | undefined;
    for (const bit of bits) {
      const calls = this.#file.readSignature(block, bit);
      if (calls === undefined) return hasChangedText;
      both = both === undefined ? calls.slice() : both.map((byte, at) => byte & (calls[at] as number));
    }
    if (both?.every((byte) => byte === 0) !== false) return hasChangedText;
    const found = both;
    const order = this.#findOrder(block);
    return (seq) => {
      const at = order[seq % blockRows] as number;
      return (((found[at >> 3] as number) >> (at & 7)) & 1) === 1 || hasChangedText(seq);
    };
  }

  /** Reads the state of the file again if another process has changed it, and drops what was only in memory. */
  async #reload(): Promise<void> {
    let found = this.#file.readFilled();
    if (found === undefined || !this.#isOfLedger(found)) {
      await this.#file.clear();
      found = this.#file.readFilled() as FilledTo;
    }
    if (isSame(found, this.#base) && this.#isOfLedger(this.#filled)) {
      this.#base = found;
      this.#filled = { ...this.#filled, signed: found.signed };
      return;
    }
    if (found.key !== this.#filled.key) this.#names = new NameHashes(found.key);
    this.#base = found;
    this.#filled = found;
    this.#changed.clear();
    this.#changedTexts.clear();
  }

  /** False if the ledger was replaced by another, such as an older copy. */
  #isOfLedger({ seq, hash }: FilledTo): boolean {
    if (seq === 0) return true;
    const row = this.#ledger.prepare('select "hash" from "ledger" where "seq" = ?').get(seq);
    return (row as { readonly hash: string } | undefined)?.hash === hash;
  }

  #enter(row: IndexedRow): void {
    const call = row.start_seq ?? row.seq;
    const block = toBlockNumber(call);
    enterRow(this.#openBlock(block), row, this.#names);
    if (row.start_seq !== null) this.#changedTexts.add(call);
    this.#filled = { ...this.#filled, seq: row.seq, hash: row.hash };
  }

  #openBlock(block: number): Block {
    const open = this.#changed.get(block);
    if (open !== undefined) return open;
    const columns = columnNames.map((name) => [name, this.column(block, name)]);
    const opened = Object.fromEntries(columns) as Block;
    this.#changed.set(block, opened);
    return opened;
  }

  /** Writes what is only in memory. False if another process has written since the last read. */
  async #write(): Promise<boolean> {
    const base = this.#base as FilledTo;
    let filled = this.#filled;
    let isOurs = false;
    await this.#file.transact(() => {
      const found = this.#file.readFilled();
      isOurs = found !== undefined && isSame(found, base);
      if (!isOurs || found === undefined) return;
      for (const [block, columns] of this.#changed)
        for (const name of columnNames) this.#file.writeColumn(block, name, columns[name]);
      for (const block of new Set([...this.#changedTexts].map(toBlockNumber)))
        if (block < found.signed) this.#file.writeSignatures(block, this.#computeSignatures(block));
      filled = { ...filled, signed: found.signed };
      this.#file.writeFilled(filled);
    });
    if (!isOurs) return false;
    this.#base = filled;
    this.#filled = filled;
    this.#changed.clear();
    this.#changedTexts.clear();
    return true;
  }

  /** Writes the signatures of a block. False if another process has written since the last read. */
  async #signBlock(block: number): Promise<boolean> {
    const signatures = this.#computeSignatures(block);
    const signed = { ...this.#filled, signed: block + 1 };
    let isOurs = false;
    await this.#file.transact(() => {
      const found = this.#file.readFilled();
      isOurs = isSame(found, signed) && found?.signed === block;
      if (!isOurs) return;
      this.#file.writeSignatures(block, signatures);
      this.#file.writeFilled(signed);
    });
    if (!isOurs) return false;
    this.#base = signed;
    this.#filled = signed;
    return true;
  }

  /** Computes the signatures of a block from the texts that the ledger has now. */
  #computeSignatures(block: number): ReadonlyMap<number, Uint8Array> {
    const first = block * blockRows;
    const calls = this.#ledger.prepare(blockTextsSql).all(first, first + blockRows - 1) as CallTexts[];
    const signatures = new Map<number, Uint8Array>();
    const bytes = Math.ceil(calls.length / 8);
    calls.forEach(({ params, summary }, at) => {
      const add = (bit: number) => {
        let signature = signatures.get(bit);
        if (signature === undefined) {
          signature = new Uint8Array(bytes);
          signatures.set(bit, signature);
        }
        signature[at >> 3] = (signature[at >> 3] as number) | (1 << (at & 7));
      };
      if (params !== null) addBits(params, add);
      if (summary !== null) addBits(summary, add);
    });
    return signatures;
  }

  /** The position of each call among the calls of its block, by its place in the block. */
  #findOrder(block: number): Uint16Array {
    const order = new Uint16Array(blockRows);
    let next = 0;
    this.column(block, "state").forEach((state, place) => {
      order[place] = next;
      if (state !== 0) next++;
    });
    return order;
  }
}

function isSame(one: FilledTo | undefined, other: FilledTo | undefined): boolean {
  return one !== undefined && other !== undefined && one.key === other.key && one.seq === other.seq;
}
