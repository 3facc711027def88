import { type Kysely, sql } from "kysely";
import { filledUp, prepared } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";

/** Counts are asked for in multiples of so many words. */
const step = 8;

interface CountedWords {
  readonly words: readonly string[];
  /** None is counted further. */
  readonly most: number;
}

/** Counts the entries of the scope in which each of the words is; without those that are in none. */
export async function countEntries(
  db: Kysely<Tables>,
  scopeId: number,
  { words, most }: CountedWords,
): Promise<ReadonlyMap<string, number>> {
  if (words.length === 0) return new Map();
  const asked = filledUp(words, step, "");
  const rows = await count(db, asked.length, [scopeId, most, ...asked]);
  return new Map(rows.flatMap(({ word, count: found }) => (found > 0 ? [[word, Number(found)]] : [])));
}

const count = prepared((db: Kysely<Tables>, size) => {
  const words = sql.join(Array.from({ length: size }, () => sql`(${""})`));
  return db
    .selectFrom(sql<{ column1: string }>`(values ${words})`.as("asked"))
    .select((asked) => [
      "asked.column1 as word",
      asked
        .selectFrom(
          asked
            .selectFrom("memory_word")
            .select("entry_seq")
            .where("scope_id", "=", 0)
            .whereRef("word", "=", "asked.column1")
            .limit(0)
            .as("having_word"),
        )
        .select((row) => row.fn.countAll<number>().as("count"))
        .as("count"),
    ])
    .$castTo<{ word: string; count: number }>();
});
