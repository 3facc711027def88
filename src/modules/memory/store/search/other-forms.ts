import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import { readWords } from "./near-words.ts";
import { isEnglish, isUnspaced } from "./words.ts";

/** A scope with more words, each counted once an entry, is too large to be looked through for other forms. */
const mostWords = 200_000;
/** More words of a question are not looked up. */
const mostAsked = 16;
/** More forms of one word are none. */
const mostForms = 12;
/** Letters that two forms of a word have in common at their beginning, and those at the end in which they may differ. */
const leastCommon = 4;
const mostEnding = 3;
/** Letters of each part of a compound. */
const leastPart = 4;

/** The words that a scope has, by their first letters and by their last. */
export class Vocabulary {
  readonly #words: ReadonlySet<string>;
  readonly #byStart: ReadonlyMap<string, readonly string[]>;
  readonly #byEnd: ReadonlyMap<string, readonly string[]>;

  constructor(words: readonly string[]) {
    const long = words.filter((word) => word.length >= leastPart);
    this.#words = new Set(long);
    this.#byStart = Map.groupBy(long, (word) => word.slice(0, leastPart));
    this.#byEnd = Map.groupBy(long, (word) => word.slice(-leastPart));
  }

  /**
   * The words that are likely other forms of this one: with another ending, as a part of a compound or with it as a part,
   * and in Arabic with the article and the signs on an alif or without.
   */
  listForms(word: string): string[] {
    const forms = new Set<string>();
    for (const one of isArabic.test(word) ? listArabicForms(word) : listLatinForms(word)) {
      if (one !== word && this.#words.has(one)) forms.add(one);
      if (one.length < leastPart) continue;
      for (const other of this.#byStart.get(one.slice(0, leastPart)) ?? []) {
        if (isInflected(one, other) || isPart(one, other)) forms.add(other);
      }
      for (const other of this.#byEnd.get(one.slice(-leastPart)) ?? [])
        if (isPart(one, other)) forms.add(other);
      for (const part of listParts(one)) if (this.#words.has(part)) forms.add(part);
    }
    forms.delete(word);
    return [...forms].slice(0, mostForms);
  }
}

/**
 * Words of the scope that may be other forms of those a question asks for. The index has stems of English alone, so for
 * questions in English there are none.
 */
export async function findForms(
  db: Kysely<Tables>,
  { id, words }: { readonly id: number; readonly words: number },
  question: { readonly query: string; readonly words: readonly string[] },
  known: { vocabulary: Vocabulary | undefined },
): Promise<readonly string[]> {
  if (words > mostWords || isEnglish(question.query)) return [];
  const asked = question.words.filter((word) => !isUnspaced(word)).slice(0, mostAsked);
  if (asked.length === 0) return [];
  known.vocabulary ??= new Vocabulary(await readWords(db, id));
  const { vocabulary } = known;
  return asked.flatMap((word) => vocabulary.listForms(word));
}

function isInflected(one: string, other: string): boolean {
  let common = leastCommon;
  while (common < one.length && one[common] === other[common]) common++;
  return one.length - common <= mostEnding && other.length - common <= mostEnding;
}

/** One is the beginning or the end of a compound that is the other. */
function isPart(part: string, compound: string): boolean {
  return (
    isLatin.test(part) &&
    compound.length - part.length >= leastPart - 1 &&
    (compound.startsWith(part) || compound.endsWith(part))
  );
}

function* listParts(compound: string): Generator<string, void> {
  if (!isLatin.test(compound)) return;
  for (let at = leastPart; at <= compound.length - leastPart; at++) {
    yield compound.slice(0, at);
    yield compound.slice(at);
  }
}

/** The word, and a long one without its ending, which is another one within a compound. */
function listLatinForms(word: string): string[] {
  const bare = word.replace(/(?:en|er|es|e|n|s)$/, "");
  return isLatin.test(word) && bare.length >= 2 * leastPart ? [word, bare] : [word];
}

const isLatin = /^\p{Script=Latin}+$/u;
const isArabic = /^\p{Script=Arabic}/u;
const article = "ال";

function* listArabicForms(word: string): Generator<string, void> {
  const bare = word.startsWith(article) ? word.slice(article.length) : word;
  for (const stem of new Set([
    bare,
    bare.replace(/^[أإآ]/, "ا"),
    ...["أ", "إ", "آ"].map((alif) => bare.replace(/^ا/, alif)),
  ])) {
    yield stem;
    yield article + stem;
  }
}
