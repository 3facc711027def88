import { foldCase } from "../words.ts";

/** A name as it is compared: its words in lower case, without accents and signs. */
export function foldName(text: string): string {
  return (foldCase(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ");
}

/** Stretches of the query that may be a name, the longest first: up to six words, or of a script without spaces characters. */
export function namesIn(query: string): string[] {
  const words = foldName(query)
    .split(" ")
    .filter((word) => word !== "");
  const stretches = new Set<string>();
  for (let count = Math.min(longestName, words.length); count > 0; count--) {
    for (let start = 0; start + count <= words.length; start++) {
      stretches.add(words.slice(start, start + count).join(" "));
    }
  }
  for (const word of words) {
    const characters = Array.from(word);
    if (!/[^\0-\u024f]/.test(word)) continue;
    for (let count = Math.min(8, characters.length - 1); count > 1; count--) {
      for (let start = 0; start + count <= characters.length; start++) {
        stretches.add(characters.slice(start, start + count).join(""));
      }
    }
  }
  return [...stretches];
}

const longestName = 6;

/** The names that a query says, looked for in all of it. */
export class SaidNames {
  readonly stretches: readonly string[];
  readonly #exact: ReadonlySet<string>;
  readonly #alike: ReadonlyMap<string, readonly string[]>;

  constructor(query: string) {
    this.stretches = namesIn(query);
    this.#exact = new Set(this.stretches);
    this.#alike = Map.groupBy(this.stretches, toShape);
  }

  says(name: string): boolean {
    return this.#exact.has(name);
  }

  /** What the query may have said for a word of the name by a slip of the pen. */
  listSlips(name: string): readonly string[] {
    const alike = this.#alike.get(toShape(name)) ?? [];
    return alike.flatMap((stretch) => slipIn(stretch, name) ?? []);
  }
}

/** A slip leaves the first letter and the number of words as they are. */
function toShape(name: string): string {
  return `${name[0]}${name.split(" ").length}`;
}

/**
 * The word that the stretch has for one of the name: with a letter more, less, or two in the wrong order, in a word of
 * five letters or more, and not the first of it; with another letter in one of six or more, since shorter ones are too
 * often another word ("mango" is no "mongo"). Undefined: it says the name, or another one.
 */
function slipIn(stretch: string, name: string): string | undefined {
  const said = stretch.split(" ");
  const meant = name.split(" ");
  if (said.length !== meant.length) return undefined;
  const differ = said.flatMap((word, at) => (word === meant[at] ? [] : [at]));
  const [at] = differ;
  const isOne = differ.length === 1 && at !== undefined && isSlip(said[at] ?? "", meant[at] ?? "");
  return isOne ? said[at] : undefined;
}

const leastChanged = 6;

function isSlip(said: string, meant: string): boolean {
  if (Math.min(said.length, meant.length) < 5 || said[0] !== meant[0]) return false;
  if (Math.abs(said.length - meant.length) > 1) return false;
  let start = 0;
  while (start < said.length && said[start] === meant[start]) start++;
  let end = 0;
  while (end < Math.min(said.length, meant.length) - start && said.at(-1 - end) === meant.at(-1 - end)) end++;
  const left = said.slice(start, said.length - end);
  const right = meant.slice(start, meant.length - end);
  if (left.length === 1 && right.length === 1) return meant.length >= leastChanged;
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && left[0] === right[1] && left[1] === right[0] && right.length === 2;
}

/**
 * The halves of a stretch by which names that it nearly says are looked for: a slip leaves its beginning or its end.
 * Undefined where no word of it is long enough for one.
 */
export function splitHalves(stretch: string): { readonly head: string; readonly tail: string } | undefined {
  if (!stretch.split(" ").some((word) => word.length >= 4)) return undefined;
  const half = Math.floor((stretch.length - 1) / 2);
  return half < 2 ? undefined : { head: stretch.slice(0, half), tail: reverseName(stretch).slice(0, half) };
}

export function reverseName(name: string): string {
  return Array.from(name).toReversed().join("");
}
