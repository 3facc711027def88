import type { Kysely } from "kysely";
import { filledUp, prepared } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";
import { countEntries } from "./count-entries.ts";
import type { KnownScope } from "./known-scopes.ts";
import type { Posting, PostingsFound } from "./word-scores.ts";

type Db = Kysely<Tables>;

/**
 * Past so many, the most frequent words of a question find nothing by themselves: they tell least and cost most. They
 * count where a rarer one is found. The rarest always finds, the newest where it is frequent too, and so does the next
 * if it is not.
 */
const mostPostings = 800;
const leastWords = 2;
/** Words are asked for in multiples of so many. */
const step = 4;

export interface FoundWords extends PostingsFound {
  /** The entries that may be hits: those that have a word that finds. */
  readonly seqs: readonly number[];
}

/** The words that a search looks for. */
export interface SoughtWords {
  readonly words: readonly string[];
  /** Words that mean about the same. They find what there is room for once the others have found theirs. */
  readonly near: readonly string[];
}

/** The entries that the words are in, the rarest word first. What was read before is in `known`, which is added to. */
export async function readPostings(
  db: Db,
  scopeId: number,
  { words, near }: SoughtWords,
  known: KnownScope,
): Promise<FoundWords> {
  const all = await count(db, scopeId, [...words, ...near], known);
  const isNear = new Set(near);
  const counts = new Map([...all].filter(([word]) => !isNear.has(word)));
  let total = 0;
  const isTelling = (found: number, at: number) =>
    (total += found) <= mostPostings || at === 0 || (at < leastWords && found <= mostPostings);
  const [finding, frequent]: [string[], string[]] = [[], []];
  for (const [at, [word, found]] of [...counts].entries()) {
    (isTelling(found, at) ? finding : frequent).push(word);
  }
  for (const [word, found] of all) {
    if (!isNear.has(word) || total + found > mostPostings) continue;
    total += found;
    counts.set(word, found);
    finding.push(word);
  }
  const postings = new Map<string, readonly Posting[]>();
  const having = new Set<number>();
  await readFinding(db, scopeId, { words: finding, counts }, known);
  for (const word of finding) {
    const found = known.postings.get(word) ?? [];
    postings.set(word, found);
    for (const { seq } of found) having.add(seq);
  }
  const seqs = [...having];
  await readFrequent(db, scopeId, { words: frequent, seqs }, known);
  for (const word of frequent) {
    const asked = known.frequent.get(word);
    postings.set(
      word,
      seqs.flatMap((seq) => asked?.get(seq) ?? []),
    );
  }
  return { postings, counts, seqs };
}

/** The number of entries that each of the words is in, as far as that tells; the rarest first, without those that are in none. */
async function count(
  db: Db,
  scopeId: number,
  words: readonly string[],
  known: KnownScope,
): Promise<ReadonlyMap<string, number>> {
  const unknown = words.filter((word) => !known.counts.has(word));
  const counted = await countEntries(db, scopeId, { words: unknown, most: mostPostings + 1 });
  for (const word of unknown) known.counts.set(word, counted.get(word) ?? 0);
  const counts = words.map((word) => [word, known.counts.get(word) ?? 0] as const);
  return new Map(counts.filter(([, found]) => found > 0).sort(([, one], [, other]) => one - other));
}

interface Finding {
  readonly words: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
}

async function readFinding(
  db: Db,
  scopeId: number,
  { words, counts }: Finding,
  { postings }: KnownScope,
): Promise<void> {
  const unknown = words.filter((word) => !postings.has(word));
  if (unknown.length === 0) return;
  const [first = ""] = unknown;
  const isFrequent = (counts.get(first) ?? 0) > mostPostings;
  const rows = isFrequent
    ? await readNewest(db, 1, [scopeId, first, mostPostings])
    : await readAll(db, filledUp(unknown, step, "").length, [scopeId, ...filledUp(unknown, step, "")]);
  const found = new Map<string, Posting[]>(unknown.map((word) => [word, []]));
  // A row from SQLite is some ten times as large, and slower to read.
  for (const { word, seq, counts: said } of rows) found.get(word)?.push({ seq, counts: said });
  for (const [word, some] of found) postings.set(word, some);
}

const readAll = prepared((db: Kysely<Tables>, size) =>
  ofWords(
    db,
    Array.from({ length: size }, () => ""),
  ),
);

const readNewest = prepared((db: Kysely<Tables>) => ofWords(db, [""]).orderBy("entry_seq", "desc").limit(0));

function ofWords(db: Db, words: readonly string[]) {
  return db
    .selectFrom("memory_word")
    .select(["word", "entry_seq as seq", "counts"])
    .where("scope_id", "=", 0)
    .where("word", "in", words);
}

interface Asked {
  readonly words: readonly string[];
  readonly seqs: readonly number[];
}

/** Rows that frequent words are looked for in at once. */
const seqsAtOnce = 400;

async function readFrequent(
  db: Db,
  scopeId: number,
  { words, seqs }: Asked,
  { frequent }: KnownScope,
): Promise<void> {
  for (const word of words) {
    const asked = frequent.get(word) ?? new Map<number, Posting | undefined>();
    frequent.set(word, asked);
    const unknown = seqs.filter((seq) => !asked.has(seq));
    for (let start = 0; start < unknown.length; start += seqsAtOnce) {
      const some = filledUp(unknown.slice(start, start + seqsAtOnce), seqsAtOnce / 4, -1);
      const rows = await readSome(db, some.length, [scopeId, word, ...some]);
      for (const { seq, counts } of rows) asked.set(seq, { seq, counts });
    }
    for (const seq of unknown) if (!asked.has(seq)) asked.set(seq, undefined);
  }
}

const readSome = prepared((db: Kysely<Tables>, size) =>
  ofWords(db, [""]).where(
    "entry_seq",
    "in",
    Array.from({ length: size }, () => 0),
  ),
);
