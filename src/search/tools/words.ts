import { stemWord } from "./stem.ts";

/**
 * What a text is found by: the stems of its words in lower case, in their order, without those that say nothing of a
 * tool. Names are split at case, digits and signs; a name of one word, such as `GitHub` or `base64`, also counts
 * whole. Scripts that are written without spaces give every character and every pair of neighbours.
 */
export function splitTerms(text: string): string[] {
  const terms: string[] = [];
  for (const [chunk] of plain(text).matchAll(chunks)) {
    if (unspaced.test(chunk)) addCharacters(chunk, terms);
    else addWords(chunk, terms);
  }
  return terms;
}

/** A sentence of a message. */
export interface Sentence {
  readonly text: string;
  readonly terms: readonly string[];
}

/** The sentences of a text that have terms. Of a text with very many, those after the sixteenth are one. */
export function splitSentences(text: string): Sentence[] {
  const sentences = text
    .split(sentenceEnd)
    .map((sentence) => ({ text: sentence, terms: splitTerms(sentence) }))
    .filter(({ terms }) => terms.length > 0);
  const [first, rest] = [sentences.slice(0, mostSentences), sentences.slice(mostSentences)];
  if (rest.length === 0) return first;
  const last = { text: rest.map((one) => one.text).join(" "), terms: rest.flatMap(({ terms }) => terms) };
  return [...first, last];
}

const mostSentences = 16;
/** A stop inside a number, a name or an address has no space after it; those of Chinese and Japanese need none. */
const sentenceEnd = /(?<=[.?!;])\s+|(?<=[。？！；])|\n+/u;

/** A name as words, for readers and sentence models: `get_userInfo` is "get user Info". */
export function spaced(name: string): string {
  return (name.match(pieces) ?? []).join(" ");
}

const unspacedScripts = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`;
const unspaced = new RegExp(`^[${unspacedScripts}]`, "u");
const chunks = new RegExp(`[${unspacedScripts}]+|(?:(?![${unspacedScripts}])[\\p{L}\\p{M}\\p{N}])+`, "gu");
/** The pieces of a chunk: `getHTMLPage2` has get, HTML, Page and 2; `URLs` is one. */
const pieces = /\p{Lu}+s?(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+/gu;
/** Nobody has a longer word in mind. */
const longestTerm = 64;

/** Letters as they are typed: full width, ligatures and accents are folded. */
function plain(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
}

function addWords(chunk: string, terms: string[]): void {
  const found = chunk.match(pieces) ?? [];
  for (const piece of found) addWord(piece, terms);
  if (found.length === 2) addWord(chunk, terms);
}

function addWord(word: string, terms: string[]): void {
  const lower = word.toLowerCase();
  if (lower.length <= longestTerm && !stopWords.has(lower)) terms.push(stemWord(lower));
}

function addCharacters(chunk: string, terms: string[]): void {
  let before = "";
  for (const character of chunk) {
    terms.push(character);
    if (before !== "") terms.push(before + character);
    before = character;
  }
}

/** Grammar, courtesies and small talk. Rare in descriptions of tools, they would count as telling. */
const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are aren as at be because been before being below between both
   but by can cannot could couldn d did didn do does doesn doing don down during each few for from further had hadn has
   hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself let ll m me
   might more most must my myself no nor not now of off on once only or other our ours ourselves out over own re s same
   she should shouldn so some such t than that the their theirs them themselves then there these they this those
   through to too under until up us ve very was wasn we were weren what when where which while who whom whose why will
   with won would wouldn you your yours yourself yourselves
   able also hello help hey hi know like look looking need needs please really sure tell thank thanks try trying want
   wants wonder wondering
   ago already always although another anybody anyone anything anyway anywhere else even ever every everybody everyone
   everything however instead lot lots many maybe much never nobody nothing often ok okay one ones perhaps quite rather
   since somebody someone something sometimes somewhere soon still stuff therefore thing things though thus too well
   yeah yes yet`.split(/\s+/),
);
