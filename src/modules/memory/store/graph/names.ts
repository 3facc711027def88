import { editDistance } from "../../../../base/index.ts";
import { foldCase } from "../search/words.ts";

/** Longer names are sentences. */
export const longestName = 200;
/** A name has a row for each of its words. */
const mostWords = 8;
/** Shorter words are too near to others. */
const shortestWithSlip = 5;

/**
 * A name as names are compared: without case, accents, and what is neither letter nor digit, but for the signs that tell
 * C from C++ and C#. Of a name that has neither, its own characters.
 */
export function foldName(name: string): string {
  const plain = foldCase(name);
  const folded = plain.replace(/[^\p{L}\p{M}\p{N}+#]+/gu, " ").trim();
  return folded === "" ? plain.replace(/\s+/g, " ").trim() : folded;
}

/** The words of a folded name that it can be found by, each once. */
export function wordsOfName(folded: string): string[] {
  const words = folded.split(" ").filter((word) => word.length > 1);
  return [...new Set(words)].slice(0, mostWords);
}

export function backwards(word: string): string {
  return Array.from(word).reverse().join("");
}

/** How a word is looked for that may have one letter otherwise: one of its halves is as it should be. */
export interface Halves {
  readonly first: string;
  /** The half that is counted from the end. */
  readonly second: string;
}

/** Undefined for a word that is too short for a slip. */
export function splitHalves(word: string): Halves | undefined {
  const letters = Array.from(word);
  if (letters.length < shortestWithSlip) return undefined;
  const middle = Math.floor(letters.length / 2);
  // Two neighbours that were swapped across the middle are whole in neither half: one letter less of each.
  return {
    first: letters.slice(0, middle - 1).join("") || (letters[0] as string),
    second: letters
      .slice(middle + 1)
      .reverse()
      .join(""),
  };
}

/** Whether one letter was left out, put in, taken for another, or swapped with the next. */
export function isOneEdit(one: string, other: string): boolean {
  return Math.abs(one.length - other.length) <= 1 && editDistance(one, other) === 1;
}

/** What follows every text that begins with `beginning`. */
export function findEnd(beginning: string): string {
  return `${beginning}\u{10ffff}`;
}

/** A relation as relations are compared: `works_at` is `works at`. */
export function foldRelation(relation: string): string {
  return relation
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();
}
