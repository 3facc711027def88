import { type Kysely, sql } from "kysely";
import { filledUp, prepared } from "../../prepared.ts";
import type { Tables } from "../../tables.ts";

/** Characters of a text's beginning that are compared: it says what the text is about. */
const mostChars = 2000;
/** Texts are asked for in multiples of so many. */
const step = 8;

/** The texts of these rows, by row number; of long ones the beginning. */
export async function readTexts(
  db: Kysely<Tables>,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (seqs.length === 0) return new Map();
  const asked = filledUp(seqs, step, -1);
  const rows = await read(db, asked.length, asked);
  return new Map(rows.map(({ seq, text }) => [seq, text]));
}

const read = prepared((db, size) =>
  db
    .selectFrom("memory_entry")
    .select(["seq", (row) => sql<string>`substr(${row.ref("text")}, 1, ${sql.lit(mostChars)})`.as("text")])
    .where(
      "seq",
      "in",
      Array.from({ length: size }, () => 0),
    ),
);
