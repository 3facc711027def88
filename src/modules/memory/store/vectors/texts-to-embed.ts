import { type Kysely, sql, type Transaction } from "kysely";
import { filledUp, prepared, splitParts } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";
import { embeddedText, longestBefore, longestText } from "./embedded-text.ts";
import { inParts } from "./parts.ts";

/** An entry whose text is new or has changed. */
export interface TextToEmbed {
  /** Higher than that of every text that changed before. */
  readonly number: number;
  readonly seq: number;
  readonly scope: string;
  /** Empty: there is nothing to embed. */
  readonly text: string;
}

/** Marks texts as changed, in the transaction that changes them. */
export async function markChanged(tx: Transaction<Tables>, seqs: readonly number[]): Promise<void> {
  await unmark(tx, seqs);
  await markNew(tx, seqs);
}

/** The same for entries that are made in the same transaction. */
export async function markNew(tx: Transaction<Tables>, seqs: readonly number[]): Promise<void> {
  for (const some of splitParts([...new Set(seqs)])) await insertMarks(tx, some.length, some);
}

const insertMarks = prepared((db: Kysely<Tables>, size) =>
  db.insertInto("memory_text").values(Array.from({ length: size }, () => ({ entry_seq: 0 }))),
);

export async function unmark(tx: Transaction<Tables>, seqs: readonly number[]): Promise<void> {
  for (const some of inParts(seqs)) {
    await tx.deleteFrom("memory_text").where("entry_seq", "in", some).execute();
  }
}

/** The texts that changed first after that number. */
export async function textsAfter(
  db: Kysely<Tables>,
  number: number,
  limit: number,
): Promise<readonly TextToEmbed[]> {
  const rows = await selectTexts(db, 1, [number, limit]);
  const texts: TextToEmbed[] = [];
  for (const { number, seq, scope, session, position, ...entry } of rows) {
    const place = session === null || position === null ? undefined : { scope, session, position };
    const before = place && (await textBefore(db, place));
    texts.push({ number, seq, scope, text: embeddedText({ ...entry, before }) });
  }
  return texts;
}

const selectTexts = prepared((db: Kysely<Tables>) =>
  db
    .selectFrom("memory_text")
    .innerJoin("memory_entry as entry", "entry.seq", "memory_text.entry_seq")
    .select(["number", "seq", "scope", "title", "names", "session", "position", "speaker"])
    .select((row) => sql<string>`substr(${row.ref("entry.text")}, 1, ${sql.lit(longestText)})`.as("text"))
    .where("number", ">", 0)
    .orderBy("number")
    .limit(0),
);

/** How many changed after that number, of one scope or of all. */
export async function countAfter(db: Kysely<Tables>, number: number, scope?: string): Promise<number> {
  let query = db
    .selectFrom("memory_text")
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("number", ">", number);
  if (scope !== undefined)
    query = query.where((row) =>
      row(
        "entry_seq",
        "in",
        row.selectFrom("memory_entry").select("seq").where("memory_entry.scope", "=", scope),
      ),
    );
  const { count } = await query.executeTakeFirstOrThrow();
  return Number(count);
}

/** Texts of a scope that wait to be embedded. */
export interface TextsLeft {
  readonly count: number;
  /** The number of the last of them. */
  readonly last: number | undefined;
  /** More texts wait, of this scope or of others, than were looked at. */
  readonly isMore: boolean;
}

/** The texts of a scope among the first `most` that changed after that number. */
export async function leftAfter(
  db: Kysely<Tables>,
  number: number,
  { scope, most }: { scope: string; most: number },
): Promise<TextsLeft> {
  const [row] = await countLeft(db, 1, [number, most + 1, scope]);
  const { all = 0, count = 0, last = null } = row ?? {};
  return { count: Number(count), last: last === null ? undefined : Number(last), isMore: Number(all) > most };
}

const countLeft = prepared((db: Kysely<Tables>) => {
  const next = db
    .selectFrom("memory_text")
    .select(["number", "entry_seq"])
    .where("number", ">", 0)
    .orderBy("number")
    .limit(0);
  return db
    .selectFrom(next.as("text"))
    .leftJoin("memory_entry as entry", (join) =>
      join.onRef("entry.seq", "=", "text.entry_seq").on("entry.scope", "=", ""),
    )
    .select((row) => [
      row.fn.countAll<number>().as("all"),
      row.fn.count<number>("entry.seq").as("count"),
      row.fn.max("text.number").filterWhere("entry.seq", "is not", null).as("last"),
    ]);
});

/** Those that did not change since. */
export async function unchanged(
  tx: Transaction<Tables>,
  texts: readonly TextToEmbed[],
): Promise<readonly TextToEmbed[]> {
  const asked = filledUp(
    texts.map(({ number }) => number),
    step,
    -1,
  );
  const numbers = new Set((await selectNumbers(tx, asked.length, asked)).map(({ number }) => number));
  return texts.filter(({ number }) => numbers.has(number));
}

/** Texts are asked for in multiples of so many. */
const step = 16;

const selectNumbers = prepared((db: Kysely<Tables>, size) =>
  db
    .selectFrom("memory_text")
    .select("number")
    .where(
      "number",
      "in",
      Array.from({ length: size }, () => 0),
    ),
);

async function textBefore(
  db: Kysely<Tables>,
  { scope, session, position }: { scope: string; session: string; position: number },
): Promise<string | undefined> {
  const row = await db
    .selectFrom("memory_entry")
    .select((entry) => sql<string>`substr(${entry.ref("text")}, 1, ${longestBefore})`.as("text"))
    .where("scope", "=", scope)
    .where("session", "=", session)
    .where("position", "<", position)
    .where("deleted_at", "is", null)
    .orderBy("position", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.text;
}
