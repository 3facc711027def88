import type { Kysely, Transaction } from "kysely";
import { prepared, splitParts } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";
import { type IndexedDocument, type IndexedEntry, toDocument } from "./document.ts";
import { reverseName } from "./names/names.ts";
import { packCounts } from "./posting-counts.ts";

/**
 * Puts entries into the index of words and that of names, in the transaction of their rows. An entry that is shared
 * later is indexed again with that scope alone.
 */
export async function indexEntries(tx: Transaction<Tables>, entries: readonly IndexedEntry[]): Promise<void> {
  for (const [scope, own] of byScope(entries)) {
    const documents = own.map(toDocument);
    const scope_id = await countScope(tx, scope, documents.length, measureLength(documents));
    const words = documents.flatMap(({ seq, postings }) =>
      [...postings].map(([word, counts]) => ({
        word,
        entry_seq: seq,
        counts: packCounts(counts),
      })),
    );
    const names = documents.flatMap(({ seq, names: said }) =>
      said.map((name) => ({ scope_id, name, entry_seq: seq, backwards: reverseName(name) })),
    );
    // In the order of their key, so that a page of the table is looked for once.
    words.sort((one, other) => (one.word < other.word ? -1 : Number(one.word > other.word)));
    for (const some of splitParts(words)) {
      await insertWords(
        tx,
        some.length,
        some.flatMap(({ word, entry_seq, counts }) => [scope_id, word, entry_seq, counts]),
      );
    }
    for (const some of splitParts(names)) {
      await tx
        .insertInto("memory_name")
        .values(some)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }
}

const insertWords = prepared((db: Kysely<Tables>, size) =>
  db
    .insertInto("memory_word")
    .values(Array.from({ length: size }, () => ({ scope_id: 0, word: "", entry_seq: 0, counts: 0 })))
    .onConflict((conflict) => conflict.doNothing()),
);

/** Takes entries out, given as they were indexed: before a text or a fact changes, when a share ends, when erased. */
export async function unindexEntries(
  tx: Transaction<Tables>,
  entries: readonly IndexedEntry[],
): Promise<void> {
  for (const [scope, own] of byScope(entries)) {
    const documents = own.map(toDocument);
    const scope_id = await countScope(tx, scope, -documents.length, -measureLength(documents));
    for (const { seq, postings, names } of documents) {
      for (const some of splitParts([...postings.keys()])) {
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

/** The scope's number; made with its first entry. */
async function countScope(
  tx: Transaction<Tables>,
  scope: string,
  entries: number,
  words: number,
): Promise<number> {
  const [row] = await countInScope(tx, 1, [scope, entries, words]);
  return (row as { id: number }).id;
}

const countInScope = prepared((db: Kysely<Tables>) =>
  db
    .insertInto("memory_scope")
    .values({ scope: "", entries: 0, words: 0 })
    .onConflict((conflict) =>
      conflict.column("scope").doUpdateSet((eb) => ({
        entries: eb("memory_scope.entries", "+", eb.ref("excluded.entries")),
        words: eb("memory_scope.words", "+", eb.ref("excluded.words")),
      })),
    )
    .returning("id"),
);

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

function measureLength(documents: readonly IndexedDocument[]): number {
  return documents.reduce((sum, { length }) => sum + length, 0);
}
