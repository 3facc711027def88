import { type Kysely, sql } from "kysely";
import { prepared } from "../../prepared.ts";
import type { Tables } from "../../tables.ts";

/** Characters of a text's beginning that are compared: it says what the text is about. */
const mostChars = 2000;
/** Texts are asked for so many at a time, so that there are few statements. */
const step = 8;

/** The texts of these rows, by row number; of long ones the beginning. */
export async function readTexts(
  db: Kysely<Tables>,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (seqs.length === 0) return new Map();
  const size = Math.ceil(seqs.length / step) * step;
  const rows = await read(
    db,
    size,
    Array.from({ length: size }, (_, at) => seqs[at] ?? -1),
  );
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
