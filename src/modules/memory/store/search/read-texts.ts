import { type Kysely, sql } from "kysely";
import { filledUp, prepared } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";

/** Characters of a text's beginning that are compared: it says what the text is about. */
const mostChars = 2000;
/** Texts are asked for in multiples of so many. */
const step = 8;

/** The texts of these rows, by row number; of long ones the beginning. Those read before are in `known`, which is added to. */
export async function readTexts(
  db: Kysely<Tables>,
  seqs: readonly number[],
  known: Map<number, string>,
): Promise<ReadonlyMap<number, string>> {
  const unknown = seqs.filter((seq) => !known.has(seq));
  if (unknown.length === 0) return known;
  const asked = filledUp(unknown, step, -1);
  for (const { seq, text } of await read(db, asked.length, asked)) known.set(seq, text);
  return known;
}

const read = prepared((db: Kysely<Tables>, size) =>
  db
    .selectFrom("memory_entry")
    .select(["seq", (row) => sql<string>`substr(${row.ref("text")}, 1, ${sql.lit(mostChars)})`.as("text")])
    .where(
      "seq",
      "in",
      Array.from({ length: size }, () => 0),
    ),
);
