import { formatDay } from "../../../../base/index.ts";
import type { MemoryHit, MemorySearch } from "../memory-store.ts";
import type { TextsLeft } from "../vectors/texts-to-embed.ts";
import type { TimePhrase } from "./dates/time-phrase.ts";

export interface NoHits {
  /** Entries that the scope has. */
  readonly stored: number;
  /** The number of matches that the filter leaves out. */
  readonly excluded: number;
  /** How many there are before the page that was asked for. */
  readonly beyond?: number;
  readonly mode?: MemorySearch["mode"];
  /** Entries that come near, but not near enough. */
  readonly leftOut?: number;
}

/** Why nothing was found, and what to do. */
export function writeNote({ stored, excluded, beyond = 0, mode, leftOut = 0 }: NoHits): string {
  if (stored === 0) return "Nothing is remembered here yet";
  if (beyond > 0)
    return `There ${beyond === 1 ? "is only 1 hit" : `are only ${beyond} hits`}: ask for an earlier page`;
  const entries = stored === 1 ? "1 entry" : `${stored} entries`;
  if (excluded > 0) {
    return excluded === 1
      ? `1 of ${entries} matches, but the filters leave it out (or it is deleted, superseded or not valid now): search with fewer filters`
      : `${excluded} of ${entries} match, but the filters leave them out (or they are deleted, superseded or not valid now): search with fewer filters`;
  }
  if (leftOut > 0)
    return `None of ${entries} is likely about this; ${leftOut === 1 ? "1 has" : `${leftOut} have`} a common word of the query or a loose likeness to it, and ${leftOut === 1 ? "is" : "are"} left out`;
  if (mode === "names") return `None of ${entries} has a name that the query says`;
  return `None of ${entries} has a word of the query: ask with other words`;
}

export interface MeaningState {
  readonly mode: MemorySearch["mode"];
  /** The query was compared with what has been read. */
  readonly isCompared: boolean;
  /** What the sentence model has yet to read of the scope. Undefined: there is no model. */
  readonly left: TextsLeft | undefined;
  /** What the model failed at, as half a sentence. */
  readonly fault: string | undefined;
  /** Entries that the scope has. */
  readonly stored: number;
}

/** What was not compared by its meaning, and why. Undefined: nothing is amiss. */
export function writeMeaningNote({
  mode,
  isCompared,
  left,
  fault,
  stored,
}: MeaningState): string | undefined {
  if (!isCompared && fault !== undefined) return `Meanings are not compared now, only words: ${fault}`;
  const { count = 0, isMore = false } = left ?? {};
  if (count === 0)
    return mode === "meaning" && !isCompared
      ? "No sentence model is at hand for this: found by words alone"
      : undefined;
  const all = Math.max(count, stored);
  const some = `${isMore ? "at least " : ""}${inWords(count)} of ${inWords(all)}`;
  if (!isCompared)
    return `Meanings are not compared yet, only words: the sentence model has still to read ${some} ${all === 1 ? "entry" : "entries"}; ask again in a while`;
  return count * 2 > all
    ? `Most entries are not compared by meaning yet, only by words (${some}): ask again in a while`
    : `Not compared by meaning yet, only by words: ${some} entries`;
}

const inWords = (count: number): string => count.toLocaleString("en");

/** Says that nothing is of the time that was asked for. Undefined where a hit is of that time. */
export function noteOfOtherTimes(
  { phrase, since, until }: TimePhrase,
  hits: readonly MemoryHit[],
): string | undefined {
  if (hits.length === 0 || hits.some(({ entry: { at } }) => at >= since && at < until)) return undefined;
  return `Nothing found is of "${phrase}" (${formatDay(since)} to ${formatDay(until - 1)}): these are of other times`;
}
