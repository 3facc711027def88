import type { Transaction } from "kysely";
import type { Tables } from "../../tables.ts";
import { backwardsOf, nameOf } from "./names.ts";
import { type PostingCounts, packCounts } from "./posting-counts.ts";
import { spelledDate } from "./spelled-date.ts";
import { saysTime } from "./time-phrase.ts";
import { allWordsOf, wordsOf } from "./words.ts";

/**
 * What the index knows of an entry. Deleted, superseded and invalid entries stay in it: a search passes over them by
 * their rows. Only erased ones leave it.
 */
export interface IndexedEntry {
  /** Of its row in `memory_entry`. */
  readonly seq: number;
  /** Who finds it: its owner's scope, and each it is shared with. */
  readonly scopes: readonly string[];
  readonly text: string;
  readonly label?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly names?: readonly string[];
  readonly tags?: readonly string[];
  readonly category?: string | null | undefined;
  readonly speaker?: string | null | undefined;
  /** Unix ms. */
  readonly at: number;
}

/**
 * Puts entries into the index of words and that of names, in the transaction of their rows. An entry that is shared
 * later is indexed again with that scope alone.
 */
export async function indexEntries(tx: Transaction<Tables>, entries: readonly IndexedEntry[]): Promise<void> {
  for (const [scope, own] of byScope(entries)) {
    const documents = own.map(toDocument);
    const scope_id = await countScope(tx, scope, documents.length, lengthOf(documents));
    const words = documents.flatMap(({ seq, postings }) =>
      [...postings].map(([word, counts]) => ({
        scope_id,
        word,
        entry_seq: seq,
        counts: packCounts(counts),
      })),
    );
    const names = documents.flatMap(({ seq, names: said }) =>
      said.map((name) => ({ scope_id, name, entry_seq: seq, backwards: backwardsOf(name) })),
    );
    for (const some of inParts(words)) {
      await tx
        .insertInto("memory_word")
        .values(some)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    for (const some of inParts(names)) {
      await tx
        .insertInto("memory_name")
        .values(some)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }
}

/** Takes entries out, given as they were indexed: before a text or a fact changes, when a share ends, when erased. */
export async function unindexEntries(
  tx: Transaction<Tables>,
  entries: readonly IndexedEntry[],
): Promise<void> {
  for (const [scope, own] of byScope(entries)) {
    const documents = own.map(toDocument);
    const scope_id = await countScope(tx, scope, -documents.length, -lengthOf(documents));
    for (const { seq, postings, names } of documents) {
      for (const some of inParts([...postings.keys()])) {
        await tx
          .deleteFrom("memory_word")
          .where("scope_id", "=", scope_id)
          .where("word", "in", some)
          .where("entry_seq", "=", seq)
          .execute();
      }
      if (names.length === 0) continue;
      await tx
        .deleteFrom("memory_name")
        .where("scope_id", "=", scope_id)
        .where("name", "in", names)
        .where("entry_seq", "=", seq)
        .execute();
    }
  }
}

interface Document {
  readonly seq: number;
  readonly length: number;
  readonly postings: ReadonlyMap<string, PostingCounts>;
  readonly names: readonly string[];
}

function toDocument(entry: IndexedEntry): Document {
  const { seq, text, label, title, names = [], tags = [], category, speaker, at } = entry;
  const own = wordsOf(text);
  const meta = allWordsOf(
    [label, title, ...names, ...tags, category, speaker, spelledDate(at)].filter(Boolean).join("\n"),
  );
  const inText = countOf(own);
  const beside = countOf(meta);
  const asks = /[?？]\W*$/u.test(text);
  const dated = saysTime(text);
  const postings = new Map<string, PostingCounts>();
  for (const word of new Set([...own, ...meta])) {
    postings.set(word, {
      own: inText.get(word) ?? 0,
      meta: beside.get(word) ?? 0,
      asks,
      dated,
      length: own.length,
    });
  }
  const said = [label, title, ...names].map((name) => nameOf(name ?? "")).filter((name) => name.length > 1);
  return { seq, length: own.length, postings, names: [...new Set(said)] };
}

/** The scope's number; made with its first entry. */
async function countScope(
  tx: Transaction<Tables>,
  scope: string,
  entries: number,
  words: number,
): Promise<number> {
  const row = await tx
    .insertInto("memory_scope")
    .values({ scope, entries, words })
    .onConflict((conflict) =>
      conflict.column("scope").doUpdateSet((eb) => ({
        entries: eb("memory_scope.entries", "+", entries),
        words: eb("memory_scope.words", "+", words),
      })),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

function byScope(entries: readonly IndexedEntry[]): Map<string, IndexedEntry[]> {
  const scopes = new Map<string, IndexedEntry[]>();
  for (const entry of entries) {
    for (const scope of new Set(entry.scopes)) {
      const own = scopes.get(scope);
      if (own === undefined) scopes.set(scope, [entry]);
      else own.push(entry);
    }
  }
  return scopes;
}

function lengthOf(documents: readonly Document[]): number {
  return documents.reduce((sum, { length }) => sum + length, 0);
}

function countOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Of four values each: well below what engines take in one statement. */
const rowsAtOnce = 500;

function* inParts<Item>(items: readonly Item[]): Generator<readonly Item[], void> {
  for (let start = 0; start < items.length; start += rowsAtOnce) yield items.slice(start, start + rowsAtOnce);
}
