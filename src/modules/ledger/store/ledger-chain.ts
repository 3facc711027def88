import { isPromise, type MaybePromise } from "../../../base/index.ts";
import { type Statement, StoreError, type TypedDatabase } from "../../../db/index.ts";
import { BlockIndex } from "./block-index.ts";
import { ledgerColumns, type Tables } from "./tables.ts";

/** The last row of the ledger's chain; `seq` 0 before the first. */
export interface ChainHead {
  readonly seq: number;
  /** SHA-256, hex. */
  readonly hash: string;
}

/** A row with its place in the chain. */
export interface SealedRow extends ChainHead {
  /** The values of every column, in the order of `ledgerColumns`. */
  readonly values: readonly (string | number | null)[];
}

/**
 * The statements every call runs. They are written out so that recording a call does not have to load Kysely, and
 * a test holds them against what Kysely makes of the same tables.
 */
export const chainSql: { readonly readHead: string; readonly moveHead: string; readonly insertRow: string } =
  {
    readHead: 'select "seq", "hash", "noted" from "ledger_head" where "id" = 1',
    moveHead: 'update "ledger_head" set "seq" = ?, "hash" = ?, "noted" = ? where "id" = 1',
    insertRow: `insert into "ledger" (${ledgerColumns.map((column) => `"${column}"`).join(", ")}) values (${ledgerColumns.map(() => "?").join(", ")})`,
  };

/** The chain of the ledger's rows, at its end. */
export class LedgerChain {
  readonly #db: TypedDatabase<Tables>;
  readonly #blocks: BlockIndex;
  #prepared: Readonly<Record<keyof typeof chainSql, Statement>> | undefined;

  constructor(db: TypedDatabase<Tables>) {
    this.#db = db;
    this.#blocks = new BlockIndex(db);
  }

  /**
   * Appends rows, whole or not at all. `seal` is given the head of the chain, which no other process can move until
   * the rows are in; it may be called again. Synchronous unless it has to wait.
   *
   * @param also Writes what is kept beside the rows, in the same transaction.
   */
  append(seal: (head: ChainHead) => readonly SealedRow[], also?: () => void): MaybePromise<void> {
    const appended = this.#db.transact("ledger", () => {
      this.#append(seal);
      also?.();
    });
    if (isPromise(appended)) return appended.then(() => this.#blocks.settle());
    this.#blocks.settle();
  }

  #append(seal: (head: ChainHead) => readonly SealedRow[]): void {
    this.#prepared ??= {
      readHead: this.#db.prepare(chainSql.readHead),
      moveHead: this.#db.prepare(chainSql.moveHead),
      insertRow: this.#db.prepare(chainSql.insertRow),
    };
    const { readHead, moveHead, insertRow } = this.#prepared;
    const head = readHead.get() as (ChainHead & { readonly noted: number }) | undefined;
    if (head === undefined) throw headIsGone(this.#db.path);
    const rows = seal(head);
    for (const row of rows) insertRow.run(...row.values);
    if (head.noted < head.seq) this.#blocks.fill(head.noted + 1, head.seq + 1);
    this.#blocks.note(rows);
    const last = rows.at(-1);
    if (last !== undefined) moveHead.run(last.seq, last.hash, last.seq);
  }
}

function headIsGone(path: string): StoreError {
  return new StoreError(
    "STORE_CORRUPT",
    `Cannot write to the ledger of "${path}": the row that says where its chain ends is gone; stop haft, keep the file, and restore a copy`,
  );
}
