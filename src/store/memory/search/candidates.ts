import { type ExpressionBuilder, type Kysely, type SelectQueryBuilder, sql } from "kysely";
import { prepared } from "../../prepared.ts";
import type { Tables } from "../../tables.ts";
import { isMeant } from "../entries/filter.ts";
import type { MemoryFilter } from "../memory-store.ts";
import { countEntries } from "./count-entries.ts";
import type { Place, Posting, ScopeSize } from "./word-scores.ts";

/** Whose entries are looked at, and which of them are meant. */
export interface Sought {
  readonly scope: string;
  readonly filter: MemoryFilter;
  readonly now: number;
}

export interface SoughtScope extends ScopeSize {
  readonly id: number;
  /** An entry of it has a name. */
  readonly hasNames: boolean;
  /** Something of it is in the graph. */
  readonly hasGraph: boolean;
}

/** An entry that may be a hit. */
export interface Candidate extends Place {
  readonly at: number;
  /** 1: it is meant by the filter. Others only lend their words to their neighbours. */
  readonly fits: number;
}

type Db = Kysely<Tables>;
type Entries = ExpressionBuilder<Tables, "memory_entry">;

/** Undefined where nothing was ever remembered. */
export async function readScope(db: Db, scope: string): Promise<SoughtScope | undefined> {
  const [row] = await scopeStatement(db, 1, [scope]);
  return row && { ...row, hasNames: row.hasNames === 1, hasGraph: row.hasGraph === 1 };
}

const scopeStatement = prepared((db) =>
  db
    .selectFrom("memory_scope")
    .select(["id", "entries", "words"])
    .select((eb) => [
      eb
        .exists(
          eb
            .selectFrom("memory_name")
            .select("memory_name.entry_seq")
            .whereRef("memory_name.scope_id", "=", "memory_scope.id"),
        )
        .as("hasNames"),
      eb
        .exists(
          eb
            .selectFrom("graph_node")
            .select("graph_node.id")
            .whereRef("graph_node.scope", "=", "memory_scope.scope"),
        )
        .as("hasGraph"),
    ])
    .where("scope", "=", ""),
);

/**
 * Past so many, the most frequent words of a question find nothing by themselves: they tell least and cost most. They
 * count where a rarer one is found. The rarest always finds, the newest where it is frequent too, and so does the next
 * if it is not.
 */
const mostPostings = 800;
const leastWords = 2;

export interface FoundWords {
  /** Where the words are found, by word. */
  readonly postings: ReadonlyMap<string, readonly Posting[]>;
  /** The number of entries of the scope in which each word is. */
  readonly counts: ReadonlyMap<string, number>;
  /** The words that entries are found by. */
  readonly finding: readonly string[];
}

export async function readPostings(db: Db, scopeId: number, words: readonly string[]): Promise<FoundWords> {
  const counted = await countEntries(db, scopeId, { words, most: mostPostings + 1 });
  // The rarest first.
  const counts = new Map([...counted].sort(([, one], [, other]) => one - other));
  let total = 0;
  const isTelling = (count: number, at: number) =>
    (total += count) <= mostPostings || at === 0 || (at < leastWords && count <= mostPostings);
  const [finding, frequent]: [string[], string[]] = [[], []];
  for (const [at, [word, count]] of [...counts].entries()) {
    (isTelling(count, at) ? finding : frequent).push(word);
  }
  const postings = new Map<string, Posting[]>();
  if (finding.length === 0) return { postings, counts, finding };
  const all = db
    .selectFrom("memory_word")
    .select(["word", "entry_seq as seq", "counts"])
    .where("scope_id", "=", scopeId);
  const rows = await newestOfOne(all.where("word", "in", finding), finding).execute();
  if (frequent.length > 0) {
    rows.push(
      ...(await all
        .where("word", "in", frequent)
        .where("entry_seq", "in", havingWords(db, scopeId, finding))
        .execute()),
    );
  }
  for (const row of rows) {
    const found = postings.get(row.word);
    if (found === undefined) postings.set(row.word, [row]);
    else found.push(row);
  }
  return { postings, counts, finding };
}

function havingWords(db: Db, scopeId: number, words: readonly string[]) {
  const having = db
    .selectFrom("memory_word")
    .select("entry_seq")
    .where("scope_id", "=", scopeId)
    .where("word", "in", words);
  return newestOfOne(having, words);
}

/** More words than one are not frequent. */
function newestOfOne<Output>(
  query: SelectQueryBuilder<Tables, "memory_word", Output>,
  words: readonly string[],
): SelectQueryBuilder<Tables, "memory_word", Output> {
  return words.length === 1 ? query.orderBy("entry_seq", "desc").limit(mostPostings) : query;
}

/** The entries that have one of the words. */
export async function readCandidates(
  db: Db,
  scopeId: number,
  words: readonly string[],
  sought: Sought,
): Promise<readonly Candidate[]> {
  if (words.length === 0) return [];
  return db
    .selectFrom("memory_entry")
    .select(columns)
    .select((eb) => fitsOf(eb, sought).as("fits"))
    .where("memory_entry.seq", "in", havingWords(db, scopeId, words))
    .execute();
}

/**
 * What stands beside these: two after each, one before. Only of the scope's own: an entry that another scope shares
 * does not share its neighbours.
 */
export async function readNeighbours(
  db: Db,
  seqs: readonly number[],
  sought: Sought,
): Promise<readonly Candidate[]> {
  if (seqs.length === 0) return [];
  return db
    .selectFrom("memory_entry as said")
    .innerJoin("memory_entry", (join) =>
      join
        .onRef("memory_entry.scope", "=", "said.scope")
        .onRef("memory_entry.session", "=", "said.session")
        .on(sql<boolean>`memory_entry.position between said.position - 1 and said.position + 2`),
    )
    .select(columns)
    .select((eb) => fitsOf(eb as unknown as Entries, sought).as("fits"))
    .where("said.scope", "=", sought.scope)
    .where("said.seq", "in", seqs)
    .execute();
}

/** Those of the rows that the scope has. */
export async function readCandidatesOf(
  db: Db,
  seqs: readonly number[],
  sought: Sought,
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (let start = 0; start < seqs.length; start += 500) {
    const rows = await db
      .selectFrom("memory_entry")
      .select(columns)
      .select((eb) => fitsOf(eb, sought).as("fits"))
      .where("seq", "in", seqs.slice(start, start + 500))
      .execute();
    found.push(...rows);
  }
  return found;
}

/** The newest of those that say the query as it is written, character by character. */
export async function readKeywordHits(
  db: Db,
  query: string,
  { limit, ...sought }: Sought & { readonly limit: number },
): Promise<readonly Candidate[]> {
  const pattern = `%${query.trim().replace(/[\\%_]/g, "\\$&")}%`;
  return db
    .selectFrom("memory_entry")
    .select(columns)
    .select((eb) => eb.lit(1).as("fits"))
    .where((eb) =>
      eb.or([
        eb("memory_entry.scope", "=", sought.scope),
        eb(
          "memory_entry.seq",
          "in",
          eb.selectFrom("memory_share").select("entry_seq").where("scope", "=", sought.scope),
        ),
      ]),
    )
    .where((eb) => eb(fitsOf(eb, sought), "=", 1))
    .where(sql<boolean>`text like ${pattern} escape '\\'`)
    .orderBy("at", "desc")
    .limit(limit)
    .execute();
}

const columns = [
  "memory_entry.seq",
  "memory_entry.kind",
  "memory_entry.role",
  "memory_entry.session",
  "memory_entry.position",
  "memory_entry.at",
] as const;

/** 1 or 0. What its owner deleted is gone for those it is shared with. */
function fitsOf(eb: Entries, { scope, filter, now }: Sought) {
  const own = eb("memory_entry.scope", "=", scope);
  const seen = eb.or([own, eb("memory_entry.deleted_at", "is", null)]);
  const meant = [isMeant(eb, filter, now), seen];
  if (filter.owned === "own") meant.push(own);
  if (filter.owned === "shared") meant.push(eb("memory_entry.scope", "!=", scope));
  return eb.case().when(eb.and(meant)).then(eb.lit(1)).else(eb.lit(0)).end();
}
