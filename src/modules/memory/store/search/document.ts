import { spelledDate } from "./dates/spelled-date.ts";
import { saysTime } from "./dates/time-phrase.ts";
import { foldName } from "./names/names.ts";
import type { PostingCounts } from "./posting-counts.ts";
import { splitAllWords, splitWords } from "./words.ts";

/**
 * What the index knows of an entry. Deleted, superseded and invalid entries stay in it: a search passes over them by
 * their rows. Only erased ones leave it.
 */
export interface IndexedEntry {
  /** The number of its row in `memory_entry`. */
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

/** What an entry is found by. */
export interface IndexedDocument {
  readonly seq: number;
  /** The length of the text, in words. */
  readonly length: number;
  readonly postings: ReadonlyMap<string, PostingCounts>;
  readonly names: readonly string[];
}

export function toDocument(entry: IndexedEntry): IndexedDocument {
  const { seq, text, label, title, names = [], tags = [], category, speaker, at } = entry;
  const own = splitWords(text);
  const meta = splitAllWords(
    [label, title, ...names, ...tags, category, speaker, spelledDate(at)].filter(Boolean).join("\n"),
  );
  const inText = countWords(own);
  const beside = countWords(meta);
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
  const said = [label, title, ...names].map((name) => foldName(name ?? "")).filter((name) => name.length > 1);
  return { seq, length: own.length, postings, names: [...new Set(said)] };
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
