import { type Kysely, sql } from "kysely";
import { prepared } from "../../prepared.ts";
import type { Tables } from "../../tables.ts";

/** Counts are asked for so many words at a time, so that there are few statements. */
const step = 8;

export interface CountedWords {
  readonly words: readonly string[];
  /** None is counted further. */
  readonly most: number;
}

/** In how many entries of the scope each of the words is; without those that are in none. */
export async function countEntries(
  db: Kysely<Tables>,
  scopeId: number,
  { words, most }: CountedWords,
): Promise<ReadonlyMap<string, number>> {
  if (words.length === 0) return new Map();
  const size = Math.ceil(words.length / step) * step;
  const values = Array.from({ length: size }, (_, at) => words[at] ?? "").flatMap((word) => [
    word,
    scopeId,
    word,
    most,
  ]);
  const rows = await count(db, size, values);
  return new Map(rows.flatMap(({ word, count: found }) => (found > 0 ? [[word, Number(found)]] : [])));
}

const count = prepared((db, size) => {
  const having = db
    .selectFrom("memory_word")
    .select("entry_seq")
    .where("scope_id", "=", 0)
    .where("word", "=", "")
    .limit(0);
  const one = () =>
    db
      .selectNoFrom((eb) => [
        sql<string>`${""}`.as("word"),
        eb
          .selectFrom(having.as("having_word"))
          .select((row) => row.fn.countAll<number>().as("count"))
          .as("count"),
      ])
      .$castTo<{ word: string; count: number }>();
  let all = one();
  for (let word = 1; word < size; word++) all = all.unionAll(one());
  return all;
});
