import { emptyHash, hashFrom, type WordTable } from "./word-table.ts";

/** Longest key, in characters. */
const longestKey = 16;
const space = 32;

const runs = /[\p{L}\p{M}\p{N}]+/gu;
/** Characters of scripts that put no spaces between words: Han, kana, Thai. */
const unspaced = "\\u3005-\\u3007\\u3040-\\u30ff\\u3400-\\u9fff\\uf900-\\ufaff\\u0e00-\\u0e7f";
const hasUnspaced = new RegExp(`[${unspaced}]`, "u");
const parts = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, "gu");
const beforeCapital = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u;
const isPlain = /^[\0-\x7f]*$/;
/** Accents of the Latin, Greek and Cyrillic scripts; short vowels and the stretcher of the Arabic one. */
const dropped = /[\u{300}-\u{36f}]|[\u{64b}-\u{652}]|\u{670}|\u{640}/gu;

/**
 * Calls `use` with the row of each word of a text that the table has. A word that it does not have is taken as the
 * longest parts that it has; `getWeather` as two words. `scripts/encoder/segment.py` does the same.
 */
export function eachKnownWord(text: string, table: WordTable, use: (row: number) => void): void {
  for (const run of text.match(runs) ?? []) {
    if (isPlain.test(run)) eachOfWord(run, run.toLowerCase(), table, use);
    else eachOfRun(run, normalize(run), table, use);
  }
}

function eachOfRun(run: string, word: string, table: WordTable, use: (row: number) => void): void {
  if (!hasUnspaced.test(word)) return eachOfWord(run, word, table, use);
  for (const part of word.match(parts) ?? []) {
    if (hasUnspaced.test(part)) eachLongest(part, false, table, use);
    else eachOfWord(part, part, table, use);
  }
}

/** @param run the word as it was written */
function eachOfWord(run: string, word: string, table: WordTable, use: (row: number) => void): void {
  const row = table.findRow(computeHash(word, startOfWord));
  if (row >= 0) return use(row);
  for (const part of run.split(beforeCapital)) eachLongest(normalize(part), true, table, use);
}

/** @param begins whether a word begins where the text does. Inside a word a known one may stand too, as in compounds. */
function eachLongest(text: string, begins: boolean, table: WordTable, use: (row: number) => void): void {
  for (let at = 0; at < text.length; ) {
    let [word, part] = [startOfWord, emptyHash];
    let [row, end] = [-1, at + 1];
    const isStart = begins && at === 0;
    for (let to = at; to < text.length && to < at + longestKey; to++) {
      word = hashFrom(word, text.charCodeAt(to));
      part = hashFrom(part, text.charCodeAt(to));
      let found = table.findRow(isStart ? word : part);
      if (found < 0) found = table.findRow(isStart ? part : word);
      if (found >= 0) [row, end] = [found, to + 1];
    }
    if (row >= 0) use(row);
    at = end;
  }
}

function normalize(text: string): string {
  if (isPlain.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").toLowerCase().replace(dropped, "").normalize("NFC");
}

const startOfWord = hashFrom(emptyHash, space);

function computeHash(text: string, from: number): number {
  let hash = from;
  for (let at = 0; at < text.length; at++) hash = hashFrom(hash, text.charCodeAt(at));
  return hash;
}
