import type { Kysely } from "kysely";
import { prepared } from "../../../../../db/index.ts";
import type { Tables } from "../../tables.ts";
import { countEntries } from "../count-entries.ts";
import { splitWords } from "../words.ts";
import { SaidNames, splitHalves } from "./names.ts";

/** Names of a scope that are read at once; a scope with more is searched. */
const fewNames = 512;
/** More stretches of a query are not looked up with slips, where there are many names. */
const mostSlips = 48;
const mostNear = 2000;
const stretchesAtOnce = 500;

interface NameRow {
  readonly name: string;
  readonly seq: number;
}

/**
 * The entries whose names the query says, by row number, each with the length of the longest. A slip of the pen is
 * allowed, but not where what was said is a word that the scope knows, unless the name has its stem.
 */
export async function findNames(
  db: Kysely<Tables>,
  scopeId: number,
  query: string,
): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>();
  const all = await readSome(db, 1, [scopeId, fewNames + 1]);
  if (all.length === 0) return found;
  const said = new SaidNames(query);
  const add = ({ name, seq }: NameRow) => found.set(seq, Math.max(found.get(seq) ?? 0, name.length));
  const slips: { readonly row: NameRow; readonly words: readonly string[] }[] = [];
  for (const row of all.length <= fewNames ? all : await readLikely(db, scopeId, said)) {
    if (said.says(row.name)) add(row);
    else {
      const words = said.listSlips(row.name).flatMap((slip) => splitWords(slip));
      if (words.length > 0) slips.push({ row, words });
    }
  }
  if (slips.length === 0) return found;
  const known = await countEntries(db, scopeId, { words: slips.flatMap(({ words }) => words), most: 1 });
  for (const { row, words } of slips) {
    if (found.has(row.seq)) continue;
    const own = splitWords(row.name);
    if (words.some((word) => !known.has(word) || own.includes(word))) add(row);
  }
  return found;
}

const readSome = prepared((db: Kysely<Tables>) =>
  db.selectFrom("memory_name").select(["name", "entry_seq as seq"]).where("scope_id", "=", 0).limit(0),
);

/** The names, of many, that a stretch of the query says, or that begin or end as one does. */
async function readLikely(
  db: Kysely<Tables>,
  scopeId: number,
  { stretches }: SaidNames,
): Promise<readonly NameRow[]> {
  const known = db
    .selectFrom("memory_name")
    .select(["name", "entry_seq as seq"])
    .where("scope_id", "=", scopeId);
  const rows: NameRow[] = [];
  for (let start = 0; start < stretches.length; start += stretchesAtOnce) {
    const some = stretches.slice(start, start + stretchesAtOnce);
    rows.push(...(await known.where("name", "in", some).execute()));
  }
  const halves = stretches.flatMap((stretch) => splitHalves(stretch) ?? []).slice(-mostSlips);
  if (halves.length === 0) return rows;
  const near = await known
    .where((eb) =>
      eb.or(
        halves.flatMap(({ head, tail }) => [
          eb.and([eb("name", ">=", head), eb("name", "<", `${head}\u{10ffff}`)]),
          eb.and([eb("backwards", ">=", tail), eb("backwards", "<", `${tail}\u{10ffff}`)]),
        ]),
      ),
    )
    .limit(mostNear)
    .execute();
  return [...rows, ...near];
}
