import { FairSemaphore } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import type { Tables } from "../store/tables.ts";
import type { ColumnFile, FilledTo } from "./column-file.ts";
import {
  type Block,
  type ColumnName,
  columnNames,
  columnRows,
  emptyColumn,
  enterRow,
  type IndexedRow,
  NameHashes,
  readRowsSql,
  toColumnBlock,
} from "./columns.ts";
import type { PackedColumn } from "./pack-column.ts";
import { addBits, findBits } from "./text-signature.ts";

/** Rows of the ledger that are read at once; between two readings other requests have their turn. */
const sliceRows = 2000;
/** Rows that are entered in memory before they are written. Fewer would write the same block more often. */
const unwrittenRows = columnRows;

const blockTextsSql = `select "first"."params_text" as "params", coalesce("ended"."summary", "first"."summary") as "summary" from "ledger" as "first" left join "ledger" as "ended" on "ended"."call_id" = "first"."call_id" and "ended"."start_seq" = "first"."seq" and "ended"."event" = 'ended' where "first"."seq" between ? and ? and "first"."start_seq" is null order by "first"."seq"`;

interface CallTexts {
  readonly params: string | null;
  readonly summary: string | null;
}

/**
 * The calls of a ledger as columns of numbers, in blocks, which are read and filtered much faster than rows. They are
 * computed from the ledger when somebody asks, never when a call is recorded. What several processes compute is the
 * same; the one that comes second to write starts again from what the first wrote.
 */
export class CallColumns {
  readonly #ledger: TypedDatabase<Tables>;
  readonly #file: ColumnFile;
  readonly #turn = new FairSemaphore(1);
  /** What the file held when it was last read or written here. */
  #base: FilledTo | undefined;
  /** How far the columns are filled, in memory. */
  #filled: FilledTo = { key: "", seq: 0, hash: "", signed: 0 };
  #names = new NameHashes("");
  /** Blocks that rows were entered into and that are not written yet. */
  readonly #changed = new Map<number, Block>();
  /** Calls whose texts changed since the signatures of their block were written. */
  readonly #retold = new Set<number>();

  constructor(ledger: TypedDatabase<Tables>, file: ColumnFile) {
    this.#ledger = ledger;
    this.#file = file;
  }

  /** The last row of the ledger that is in the columns. */
  get end(): number {
    return this.#filled.seq;
  }

  get names(): Pick<NameHashes, "find"> {
    return this.#names;
  }

  /** The blocks that are filled, whole or in part. */
  get blocks(): number {
    return toColumnBlock(this.#filled.seq) + 1;
  }

  /** Blocks before this one have signatures. */
  get signed(): number {
    return this.#filled.signed;
  }

  /**
   * Enters all rows that were added to the ledger.
   *
   * @param save Write what is entered, however little it is.
   */
  async catchUp({
    save = false,
    signal,
  }: {
    readonly save?: boolean;
    readonly signal?: AbortSignal | undefined;
  } = {}): Promise<void> {
    await this.#turn.acquire("columns", signal);
    try {
      await this.#adopt();
      for (;;) {
        signal?.throwIfAborted();
        const rows = this.#ledger.prepare(readRowsSql).all(this.#filled.seq, sliceRows) as IndexedRow[];
        for (const row of rows) this.#enter(row);
        const isLast = rows.length < sliceRows;
        const unwritten = this.#filled.seq - (this.#base?.seq ?? 0);
        if (unwritten >= unwrittenRows || (isLast && save && unwritten > 0)) {
          // Another process wrote first: from there on once more.
          if (!(await this.#write())) {
            await this.#adopt();
            continue;
          }
        }
        if (isLast) return;
        await nextTurn();
      }
    } finally {
      this.#turn.release();
    }
  }

  /** Makes the signatures of the blocks that are full. */
  async sign(signal?: AbortSignal): Promise<void> {
    if (!this.#mustSign()) return;
    await this.catchUp({ save: true, signal });
    await this.#turn.acquire("columns", signal);
    try {
      while (this.#mustSign()) {
        signal?.throwIfAborted();
        // Another process writes, too. What has no signature is read.
        if (!(await this.#signBlock(this.#filled.signed))) return;
        await nextTurn();
      }
    } finally {
      this.#turn.release();
    }
  }

  #mustSign(): boolean {
    return (this.#filled.signed + 1) * columnRows <= this.#filled.seq + 1;
  }

  /** Deletes what is computed; {@link catchUp} computes it again. */
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

  /** A column that is not unpacked yet; undefined for a block that is only in memory, or is there in part. */
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
    const isRetold = (seq: number) => this.#retold.has(seq);
    let both: Uint8Array | undefined;
    for (const bit of bits) {
      const calls = this.#file.readSignature(block, bit);
      if (calls === undefined) return isRetold;
      both = both === undefined ? calls.slice() : both.map((byte, at) => byte & (calls[at] as number));
    }
    if (both?.every((byte) => byte === 0) !== false) return isRetold;
    const found = both;
    const order = this.#findOrder(block);
    return (seq) => {
      const at = order[seq % columnRows] as number;
      return (((found[at >> 3] as number) >> (at & 7)) & 1) === 1 || isRetold(seq);
    };
  }

  /** Takes over what another process wrote. */
  async #adopt(): Promise<void> {
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
    this.#retold.clear();
  }

  /** False once the ledger was replaced by a copy of before. */
  #isOfLedger({ seq, hash }: FilledTo): boolean {
    if (seq === 0) return true;
    const row = this.#ledger.prepare('select "hash" from "ledger" where "seq" = ?').get(seq);
    return (row as { readonly hash: string } | undefined)?.hash === hash;
  }

  #enter(row: IndexedRow): void {
    const call = row.start_seq ?? row.seq;
    const block = toColumnBlock(call);
    enterRow(this.#openBlock(block), row, this.#names);
    if (row.start_seq !== null) this.#retold.add(call);
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

  /** Writes what is in memory alone; false if another process wrote meanwhile. */
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
      for (const block of new Set([...this.#retold].map(toColumnBlock)))
        if (block < found.signed) this.#file.writeSignatures(block, this.#computeSignatures(block));
      filled = { ...filled, signed: found.signed };
      this.#file.writeFilled(filled);
    });
    if (!isOurs) return false;
    this.#base = filled;
    this.#filled = filled;
    this.#changed.clear();
    this.#retold.clear();
    return true;
  }

  /** False if another process wrote meanwhile. */
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

  /** The signatures of the texts of a block's calls as the ledger has them now. */
  #computeSignatures(block: number): ReadonlyMap<number, Uint8Array> {
    const first = block * columnRows;
    const calls = this.#ledger.prepare(blockTextsSql).all(first, first + columnRows - 1) as CallTexts[];
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

  /** The position of each call among those of its block. */
  #findOrder(block: number): Uint16Array {
    const order = new Uint16Array(columnRows);
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

/** Lets other requests have the thread: SQLite answers without ever waiting for it. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
