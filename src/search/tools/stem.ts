/**
 * The stem of an English word in lower case, by Porter's algorithm (1980): `connection`, `connected` and `connecting`
 * have one. Words of other scripts are their own stems.
 */
export function stemWord(word: string): string {
  if (word.length < 3 || word.length > longestStemmed || !/^[a-z]+$/.test(word)) return word;
  // A "y" that is a consonant is written "Y" on the way, so that one class of letters says what a vowel is.
  const marked = word.replace(/^y|(?<=[aeiou])y/g, "Y");
  return [plurals, participles, finalY, doubleSuffixes, suffixes, residues, tidy]
    .reduce((stem, step) => step(stem), marked)
    .toLowerCase();
}

/** Longer ones are no words of a language. */
const longestStemmed = 40;

const vowel = /[aeiouy]/;
const doubled = /([^aeiouylsz])\1$/;
/** Consonant, vowel, consonant at the end, the last not w, x or y: as in "hop". */
const short = /[^aeiouy][aeiouy][^aeiouywxY]$/;

/** Porter's m: how often vowels are followed by consonants. */
function measure(stem: string): number {
  return stem.match(/[aeiouy]+[^aeiouy]+/g)?.length ?? 0;
}

function plurals(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function participles(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const stem = word.replace(/(?:ed|ing)$/, "");
  if (stem === word || !vowel.test(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (doubled.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && short.test(stem) ? `${stem}e` : stem;
}

function finalY(word: string): string {
  return /[yY]$/.test(word) && vowel.test(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

const doubleSuffix =
  /(ational|tional|enci|anci|izer|bli|alli|entli|eli|ousli|ization|ation|ator|alism|iveness|fulness|ousness|aliti|iviti|biliti|logi)$/;
const shorter: ReadonlyMap<string, string> = new Map(
  `ational ate, tional tion, enci ence, anci ance, izer ize, bli ble, alli al, entli ent, eli e, ousli ous, ization ize,
  ation ate, ator ate, alism al, iveness ive, fulness ful, ousness ous, aliti al, iviti ive, biliti ble, logi log,
  icate ic, ative, alize al, iciti ic, ical ic, ful, ness`
    .split(/,\s*/)
    .map((pair) => {
      const [suffix = "", instead = ""] = pair.split(" ");
      return [suffix, instead];
    }),
);

function doubleSuffixes(word: string): string {
  return replaceSuffix(word, doubleSuffix);
}

function suffixes(word: string): string {
  return replaceSuffix(word, /(icate|ative|alize|iciti|ical|ful|ness)$/);
}

function replaceSuffix(word: string, pattern: RegExp): string {
  const [suffix] = pattern.exec(word) ?? [];
  if (suffix === undefined) return word;
  const stem = word.slice(0, -suffix.length);
  return measure(stem) > 0 ? stem + shorter.get(suffix) : word;
}

function residues(word: string): string {
  const stem = word.replace(
    /(?:(?<=[st])ion|al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$/,
    "",
  );
  return measure(stem) > 1 ? stem : word;
}

function tidy(word: string): string {
  let stem = word;
  if (stem.endsWith("e")) {
    const without = stem.slice(0, -1);
    const parts = measure(without);
    if (parts > 1 || (parts === 1 && !short.test(without))) stem = without;
  }
  return stem.endsWith("ll") && measure(stem) > 1 ? stem.slice(0, -1) : stem;
}
