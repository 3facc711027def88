import type { Kysely } from "kysely";
import { prepared } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";
import { unpackCounts } from "./posting-counts.ts";
import { splitQuery } from "./words.ts";

/**
 * The most entries that are looked at for a word, the newest: who says nearly the same shares rarer ones too.
 */
const mostHaving = 50;
const mostWords = 32;
const mostFound = 50;
/** The least share of the words of the shorter text; the lengths in the index are rough. */
const leastShare = 0.4;
const mostAlike = 20;

/** Rows of the entries that seem to share much of what the shorter of both texts says, those first that share the most. Undefined: the text has no word to look for. */
export async function findAlike(
  db: Kysely<Tables>,
  scopeId: number,
  text: string,
): Promise<readonly number[] | undefined> {
  const words = splitQuery(text).slice(0, mostWords);
  if (words.length === 0) return undefined;
  const values = words.flatMap((word) => [scopeId, word, mostHaving]);
  const rows = await readSharing(db, words.length, [...values, Math.min(2, words.length), mostFound]);
  return rows
    .map(({ seq, shared, counts }) => ({
      seq,
      shared: Number(shared),
      share: Number(shared) / Math.max(1, Math.min(words.length, unpackCounts(counts).length)),
    }))
    .filter(({ share }) => share >= leastShare)
    .sort((one, other) => other.shared * other.share - one.shared * one.share || other.seq - one.seq)
    .slice(0, mostAlike)
    .map(({ seq }) => seq);
}

/** Entries that have the most of some words, with how many. */
const readSharing = prepared((db: Kysely<Tables>, size) => {
  const having = () =>
    db
      .selectFrom(
        db
          .selectFrom("memory_word")
          .select(["entry_seq as seq", "counts"])
          .where("scope_id", "=", 0)
          .where("word", "=", "")
          .orderBy("entry_seq", "desc")
          .limit(0)
          .as("having_word"),
      )
      .selectAll();
  let all = having();
  for (let word = 1; word < size; word++) all = all.unionAll(having());
  return db
    .selectFrom(all.as("found"))
    .select(["seq", (eb) => eb.fn.countAll<number>().as("shared"), (eb) => eb.fn.max("counts").as("counts")])
    .groupBy("seq")
    .having((eb) => eb(eb.fn.countAll(), ">=", 0))
    .orderBy("shared", "desc")
    .orderBy("seq", "desc")
    .limit(0);
});
