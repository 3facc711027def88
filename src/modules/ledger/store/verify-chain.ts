import { setImmediate } from "node:timers/promises";
import type { Kysely } from "kysely";
import { fitSeal, isErased } from "./erasable-texts.ts";
import type { ChainHead } from "./ledger-chain.ts";
import { expectedHash } from "./ledger-row.ts";
import type { ChainFault, Verification, VerifyOptions } from "./ledger-store.ts";
import type { LedgerRow, Tables } from "./tables.ts";

const pageRows = 1000;

/** Options of {@link verifyChain}. */
export interface ChainReading extends VerifyOptions {
  /** The last row of an earlier verification, after which reading begins. @default none: with the first row */
  readonly since?: ChainHead | undefined;
  /** Called between pages with the number of rows read so far, and of all rows to read. */
  readonly onProgress?: ((rows: number, of: number) => void) | undefined;
}

/** Verifies the chain from its first row, or from `since`, to the head that it has at the start of the call. */
export async function verifyChain(
  db: Kysely<Tables>,
  { anchor, signal, since, onProgress }: ChainReading,
): Promise<Verification> {
  const { head, last } = await findEnd(db);
  let at: ChainHead = since ?? { seq: 0, hash: "" };
  const changed = since === undefined ? undefined : await explainSince(db, since);
  if (changed !== undefined) return broken(changed);
  const erasures = new Erasures(at.seq);
  for (;;) {
    signal?.throwIfAborted();
    const rows = await db
      .selectFrom("ledger")
      .selectAll()
      .where("seq", ">", at.seq === 0 ? Number.MIN_SAFE_INTEGER : at.seq)
      .where("seq", "<=", Math.max(last, head?.seq ?? 0))
      .orderBy("seq")
      .limit(pageRows)
      .execute();
    for (const row of rows) {
      if (!follows(row, at)) return broken(await explain(db, row, at, head));
      at = { seq: row.seq, hash: row.hash };
      erasures.note(row);
      if (anchor?.seq === at.seq && anchor.hash !== at.hash) {
        return broken({
          seq: at.seq,
          fault: "edited",
          why: "is not the row that the anchor was taken of",
        });
      }
    }
    if (rows.length < pageRows) break;
    onProgress?.(at.seq - (since?.seq ?? 0), Math.max(last, head?.seq ?? 0) - (since?.seq ?? 0));
    await setImmediate();
  }
  const missing = explainEnd(at, head, anchor) ?? erasures.findFault();
  return missing === undefined
    ? { valid: true, rows: at.seq, erased: erasures.calls, head: at }
    : broken(missing);
}

/** The fault of the row that an earlier verification ended with; undefined if it is unchanged. */
async function explainSince(db: Kysely<Tables>, { seq, hash }: ChainHead): Promise<Finding | undefined> {
  if (seq === 0) return undefined;
  const row = await db.selectFrom("ledger").select("hash").where("seq", "=", seq).executeTakeFirst();
  if (row === undefined)
    return { seq, fault: "truncated", why: "is missing, and was there at the last verification" };
  if (row.hash !== hash) return { seq, fault: "edited", why: "is not the row of the last verification" };
  return undefined;
}

/** Rows without their texts. Each needs a later row that records the erasure. */
class Erasures {
  /** The last row that is not read. */
  readonly #since: number;
  /** The first row without texts of each call without a recorded erasure. */
  readonly #untold = new Map<number, number>();
  /** How many calls were erased. */
  calls = 0;

  constructor(since: number) {
    this.#since = since;
  }

  note(row: LedgerRow): void {
    const call = row.start_seq ?? row.seq;
    if (row.event === "erased") {
      if (this.#untold.delete(call) || call <= this.#since) this.calls++;
    } else if (isErased(row) && !this.#untold.has(call)) this.#untold.set(call, row.seq);
  }

  findFault(): Finding | undefined {
    const [seq] = this.#untold.values();
    if (seq === undefined) return undefined;
    return { seq, fault: "edited", why: "lost its texts, and no later row says that they were erased" };
  }
}

/** The anchor and the last row as one statement sees them, so that an append in between cannot come between them. */
async function findEnd(db: Kysely<Tables>): Promise<{ head: ChainHead | undefined; last: number }> {
  const { last, seq, hash } = await db
    .selectNoFrom((row) => [
      row
        .selectFrom("ledger")
        .select((each) => each.fn.max("seq").as("last"))
        .as("last"),
      row.selectFrom("ledger_head").select("seq").where("id", "=", 1).as("seq"),
      row.selectFrom("ledger_head").select("hash").where("id", "=", 1).as("hash"),
    ])
    .executeTakeFirstOrThrow();
  return { head: seq === null || hash === null ? undefined : { seq, hash }, last: last ?? 0 };
}

function follows(row: LedgerRow, at: ChainHead): boolean {
  return (
    row.seq === at.seq + 1 && row.prev_hash === at.hash && expectedHash(row) === row.hash && fitSeal(row)
  );
}

interface Finding {
  readonly seq: number;
  readonly fault: ChainFault;
  readonly why: string;
}

function broken({ seq, fault, why }: Finding): Verification {
  return { valid: false, rows: Math.max(0, seq - 1), broken: { seq, fault, message: `Row ${seq} ${why}` } };
}

/** The end of the chain against what the table of heads, and whoever kept a head elsewhere, say of it. */
function explainEnd(
  at: ChainHead,
  head: ChainHead | undefined,
  anchor: ChainHead | undefined,
): Finding | undefined {
  const expected = Math.max(head?.seq ?? at.seq + 1, anchor?.seq ?? 0);
  if (expected > at.seq) {
    const why =
      head === undefined
        ? "may be missing: where the chain ended is no longer known"
        : "is missing, with all after it";
    return { seq: at.seq + 1, fault: "truncated", why };
  }
  if (head !== undefined && head.seq < at.seq) {
    return {
      seq: head.seq + 1,
      fault: "inserted",
      why: "was not written by haft: the chain ended before it",
    };
  }
  if (head !== undefined && head.hash !== at.hash) {
    return { seq: at.seq, fault: "edited", why: "was changed and its hash made anew" };
  }
  return undefined;
}

/** What was done to the first row that does not follow: it is told apart from what should be in its place. */
async function explain(
  db: Kysely<Tables>,
  row: LedgerRow,
  at: ChainHead,
  head: ChainHead | undefined,
): Promise<Finding> {
  const place = at.seq + 1;
  if (row.seq > place) return { seq: place, fault: "removed", why: "is missing" };
  if (row.seq < place)
    return { seq: row.seq, fault: "inserted", why: "was not written by haft: the chain begins with row 1" };
  if (row.prev_hash === at.hash && expectedHash(row) === row.hash)
    return { seq: place, fault: "edited", why: "was changed: its texts are not those of their digest" };
  const original = await findOriginal(db, place, at.hash);
  const ownPlace = await findOwnPlace(db, row);
  if (original !== undefined) {
    return original.seq === place + 1 && ownPlace === undefined
      ? { seq: place, fault: "inserted", why: "was not written by haft: what belongs here comes after it" }
      : {
          seq: place,
          fault: "reordered",
          why: `is not the one that belongs here, which is row ${original.seq} now`,
        };
  }
  if (ownPlace !== undefined) {
    return ownPlace < place
      ? { seq: ownPlace, fault: "inserted", why: "was not written by haft: what belongs here was moved down" }
      : { seq: place, fault: "removed", why: "is missing: what comes after it was moved up" };
  }
  if (expectedHash(row) !== row.hash) {
    return { seq: place, fault: "edited", why: "was changed: its hash is not that of its columns" };
  }
  return (await isLinked(db, row, head)) && at.seq > 0
    ? {
        seq: at.seq,
        fault: "edited",
        why: "was changed and its hash made anew: the row after it knows another",
      }
    : {
        seq: place,
        fault: "edited",
        why: "was changed and its hash made anew: it does not know the row before it",
      };
}

/** The row that was written after the one with this hash, wherever it is now. */
async function findOriginal(
  db: Kysely<Tables>,
  place: number,
  prevHash: string,
): Promise<LedgerRow | undefined> {
  const candidates = await db
    .selectFrom("ledger")
    .selectAll()
    .where("prev_hash", "=", prevHash)
    .limit(10)
    .execute();
  return candidates.find((row) => expectedHash({ ...row, seq: place }) === row.hash);
}

/** The number that a row of the chain had before it was given another; undefined for any other row. */
async function findOwnPlace(db: Kysely<Tables>, row: LedgerRow): Promise<number | undefined> {
  const neighbours = await db
    .selectFrom("ledger")
    .select("seq")
    .where((each) => each.or([each("hash", "=", row.prev_hash), each("prev_hash", "=", row.hash)]))
    .limit(10)
    .execute();
  // They may have been moved by one themselves.
  const candidates = neighbours.flatMap(({ seq }) => [seq - 2, seq - 1, seq, seq + 1, seq + 2]);
  return candidates.find((seq) => seq !== row.seq && expectedHash({ ...row, seq }) === row.hash);
}

/** True if what comes after `row` was written after it as it is now. */
async function isLinked(db: Kysely<Tables>, row: LedgerRow, head: ChainHead | undefined): Promise<boolean> {
  const next = await db
    .selectFrom("ledger")
    .select("prev_hash")
    .where("seq", "=", row.seq + 1)
    .executeTakeFirst();
  return (next?.prev_hash ?? head?.hash) === row.hash;
}
