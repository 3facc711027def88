import { stemOf } from "../../../kernel/index.ts";

/**
 * The words of a text as the index has them: stems of what says something, in their order. Words of grammar are left
 * out, but not where they are written as names are ("asked Will"). Scripts that are written without spaces give every
 * character and every pair of neighbours.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  const folded = fold(text);
  for (const match of folded.matchAll(chunks)) {
    const [chunk] = match;
    if (unspaced.test(chunk)) addCharacters(chunk, words);
    else if (!isGrammar(chunk, folded, match.index)) addWord(chunk, words);
  }
  return words;
}

/** All of them, grammar too: of names, tags and dates. */
export function allWordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [chunk] of fold(text).matchAll(chunks)) {
    if (unspaced.test(chunk)) addCharacters(chunk, words);
    else addWord(chunk, words);
  }
  return words;
}

/** The words that a question asks for, each once. Of a language without spaces its characters of grammar are out too. */
export function queryWordsOf(query: string): string[] {
  const words = new Set(wordsOf(query));
  const telling = [...words].filter((word) => !isOfGrammar(word));
  return (telling.length > 0 ? telling : [...words]).slice(0, mostQueryWords);
}

/**
 * The words that entries are looked for by: those of {@link queryWordsOf}, and then the characters of grammar, which say
 * little, but may be part of a word that says something.
 */
export function soughtWordsOf(query: string): string[] {
  const telling = queryWordsOf(query);
  const grammar = wordsOf(query).filter(isOfGrammar);
  return [...new Set([...telling, ...grammar])].slice(0, mostQueryWords);
}

/** It is a character that stands mostly for grammar, in a language that is written without spaces. */
export function isOfGrammar(word: string): boolean {
  return grammarCharacters.has(word);
}

/** Letters as they are typed, without case: full width, ligatures and accents are folded. */
export function foldCase(text: string): string {
  return fold(text).toLowerCase();
}

/** More is no question but a text; its beginning says what it is about. */
const mostQueryWords = 256;
const longestWord = 64;

const unspacedScripts = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const unspaced = new RegExp(`^[${unspacedScripts}]`, "u");
const chunks = new RegExp(`[${unspacedScripts}]+|(?:(?![${unspacedScripts}])[\\p{L}\\p{M}\\p{N}])+`, "gu");
/** Of a chunk: `getUserInfo` has get, User and Info. */
const pieces = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+/gu;

function fold(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
}

function isGrammar(chunk: string, text: string, at: number): boolean {
  if (!grammar.has(chunk.toLowerCase())) return false;
  const asName =
    chunk.length > 2 && /^\p{Lu}\p{Ll}+$/u.test(chunk) && /[\p{L},;:] $/u.test(text.slice(at - 2, at));
  return !asName;
}

function addWord(chunk: string, words: string[]): void {
  words.push(knownStemOf(chunk.toLowerCase()));
  if (!/\p{Ll}\p{Lu}/u.test(chunk)) return;
  for (const piece of chunk.match(pieces) ?? []) words.push(knownStemOf(piece.toLowerCase()));
}

function addCharacters(chunk: string, words: string[]): void {
  let before = "";
  for (const character of chunk) {
    words.push(character);
    if (before !== "") words.push(before + character);
    before = character;
  }
}

/** The same words come again and again. */
const stems = new Map<string, string>();
const mostStems = 20_000;

function knownStemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = stemOf(word).slice(0, longestWord);
  if (stems.size >= mostStems) stems.clear();
  stems.set(word, stem);
  return stem;
}

const grammar: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by
   can could d did do does doing don down during each few for from further had has have having he her here hers herself
   him himself his how i if in into is it its itself just ll m me more most my myself no nor not now of off on once only
   or other our ours ourselves out over own re s same she should so some such t than that the their theirs them
   themselves then there these they this those through to too under until up ve very was we were what when where which
   while who whom whose why will with would you your yours yourself yourselves`.split(/\s+/),
);

const grammarCharacters: ReadonlySet<string> = new Set(
  "的了我你是在吗呢吧啊哦嘿对就也都很这那有不么什怎为想要会能可以和跟与他她它们个一上下到去来说のはがをにでとも을를이가은는에의",
);
