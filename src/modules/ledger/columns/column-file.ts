import { randomBytes } from "node:crypto";
import type { Clock } from "../../../base/index.ts";
import { type DerivedFile, openDerivedFile, removeDerivedFile } from "../../../db/index.ts";
import type { ChainHead } from "../store/ledger-chain.ts";
import { type ColumnName, columnNames } from "./call-block.ts";
import { PackedColumn, packColumn } from "./pack-column.ts";
import { signatureBits } from "./text-signature.ts";

/** The last row of the ledger that the file includes, and how far signatures go. */
export interface FilledTo extends ChainHead {
  /** The key of the hashes of names. A cleared file gets a new one. */
  readonly key: string;
  /** Blocks before this one have signatures of their texts. */
  readonly signed: number;
}

/** The end of the chain at the last verification that found no fault. */
export interface VerifiedUpTo extends ChainHead {
  /** Unix ms. */
  readonly at: number;
}

const tables = [
  `create table "filled" ("id" integer primary key, "key" text not null, "seq" integer not null, "hash" text not null, "signed" integer not null)`,
  `create table "block_column" ("id" integer primary key, "packed" blob not null)`,
  // One row for each bit of a signature, which has one bit for each call of the block, in their order.
  `create table "block_signature" ("id" integer primary key, "calls" blob not null)`,
  `create table "verified" ("id" integer primary key, "seq" integer not null, "hash" text not null, "at" integer not null)`,
];
const tablesVersion = 1;
/** Factor that combines the number of a block and of a column into one key. It exceeds the number of columns. */
const columnsPerBlock = 32;

/** The file beside a store that holds the columns of its calls. */
export class ColumnFile {
  readonly #file: DerivedFile;

  private constructor(file: DerivedFile) {
    this.#file = file;
  }

  static async open(path: string, clock: Clock): Promise<ColumnFile> {
    return new ColumnFile(await openDerivedFile({ path, version: tablesVersion, tables, clock }));
  }

  static remove(path: string): void {
    removeDerivedFile(path);
  }

  readFilled(): FilledTo | undefined {
    const read = this.#file.prepare('select "key", "seq", "hash", "signed" from "filled" where "id" = 1');
    const found = read.get() as FilledTo | undefined;
    return found && { ...found };
  }

  /** Must be called within {@link transact}. */
  writeFilled({ key, seq, hash, signed }: FilledTo): void {
    this.#file
      .prepare(
        'insert or replace into "filled" ("id", "key", "seq", "hash", "signed") values (1, ?, ?, ?, ?)',
      )
      .run(key, seq, hash, signed);
  }

  /** Deletes all columns and signatures, and makes a new key. */
  async clear(): Promise<void> {
    await this.transact(() => {
      for (const table of ["block_column", "block_signature"])
        this.#file.prepare(`delete from "${table}"`).run();
      this.writeFilled({ key: randomBytes(16).toString("base64url"), seq: 0, hash: "", signed: 0 });
    });
  }

  readColumn(block: number, name: ColumnName): PackedColumn | undefined {
    const row = this.#file
      .prepare('select "packed" from "block_column" where "id" = ?')
      .get(toColumnId(block, name));
    return row === undefined ? undefined : new PackedColumn((row as { packed: Uint8Array }).packed);
  }

  /** Must be called within {@link transact}. */
  writeColumn(block: number, name: ColumnName, column: Float64Array): void {
    this.#file
      .prepare('insert or replace into "block_column" ("id", "packed") values (?, ?)')
      .run(toColumnId(block, name), packColumn(column));
  }

  /** The calls of a block whose signature has this bit, as bits; undefined if none has. */
  readSignature(block: number, bit: number): Uint8Array | undefined {
    const row = this.#file
      .prepare('select "calls" from "block_signature" where "id" = ?')
      .get(block * signatureBits + bit);
    return row === undefined ? undefined : (row as { calls: Uint8Array }).calls;
  }

  /** Replaces the signatures of a block. Must be called within {@link transact}. */
  writeSignatures(block: number, signatures: ReadonlyMap<number, Uint8Array>): void {
    const first = block * signatureBits;
    this.#file
      .prepare('delete from "block_signature" where "id" >= ? and "id" < ?')
      .run(first, first + signatureBits);
    const insert = this.#file.prepare('insert into "block_signature" ("id", "calls") values (?, ?)');
    for (const bit of [...signatures.keys()].sort((a, b) => a - b))
      insert.run(first + bit, signatures.get(bit) as Uint8Array);
  }

  readVerified(): VerifiedUpTo | undefined {
    const row = this.#file.prepare('select "seq", "hash", "at" from "verified" where "id" = 1').get();
    return row === undefined ? undefined : { ...(row as VerifiedUpTo) };
  }

  async writeVerified({ seq, hash, at }: VerifiedUpTo): Promise<void> {
    await this.transact(() => {
      this.#file
        .prepare('insert or replace into "verified" ("id", "seq", "hash", "at") values (1, ?, ?, ?)')
        .run(seq, hash, at);
    });
  }

  transact(work: () => void): Promise<void> {
    return this.#file.transact(work);
  }

  checkpoint(): void {
    this.#file.checkpoint();
  }

  close(): void {
    this.#file.close();
  }
}

function toColumnId(block: number, name: ColumnName): number {
  return block * columnsPerBlock + columnNames.indexOf(name);
}
