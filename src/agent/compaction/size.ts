import { type AssistantMessage, charsPerToken, countTokens } from "../../model/index.ts";
import type { Entry, EntryContent, ResultEntry, UserEntry } from "../../modules/sessions/index.ts";
import { describePruned, findWholeFrom } from "../loop/view.ts";

/** Tokens counted for an image: about what providers count for one of common size. */
const imageTokens = 1_200;
/** Tokens that a request adds around each text. */
const frameTokens = 8;
/** Code, and text that is not English, has more tokens than a quarter of its characters. */
const margin = 1.1;

/** About how many tokens an entry has in a request. */
export function countEntry(entry: EntryContent): number {
  switch (entry.kind) {
    case "user":
      return countParts(entry.parts);
    case "answer":
      return countParts(entry.message.parts);
    case "result":
      return countText(entry.text) + (entry.images?.length ?? 0) * imageTokens;
    case "note":
    case "summary":
      return countText(entry.text);
    case "parked":
    case "interrupt":
    case "prune":
      return 0;
    default:
      return entry satisfies never;
  }
}

/**
 * About how many tokens the next request has: the provider's own count of the last one, and what came since. A count of
 * an earlier epoch was of other instructions or another model, and is used only if it is higher than the estimate.
 */
export function measure(entries: readonly Entry[], prefixTokens: number): number {
  const size = new GrowingSize(entries);
  for (const entry of entries) size.add(entry);
  return size.withPrefix(prefixTokens);
}

/**
 * A running total of the tokens of a growing list of entries. A pruning or a summary changes how entries are shown, and
 * needs a new total.
 */
export class GrowingSize {
  readonly #wholeFrom: number;
  /** The `seq` before which providers counted another view. */
  readonly #changed: number;
  #shown = 0;
  /** A provider's own count of a request, and what came since. */
  #counted: number | undefined;
  /** The epoch of that request, and that of the newest entry. */
  #countedEpoch = 0;
  #epoch = 0;

  /** @param entries The whole list, since it decides how each entry is shown. None of them is added yet. */
  constructor(entries: readonly Entry[]) {
    this.#wholeFrom = findWholeFrom(entries);
    this.#changed = findChange(entries);
  }

  add(entry: Entry): void {
    this.#shown += countAsShown(entry, this.#wholeFrom);
    this.#epoch = entry.epoch;
    if (entry.kind === "answer" && entry.inputTokens !== undefined && entry.seq > this.#changed) {
      this.#counted = entry.inputTokens + entry.tokens;
      this.#countedEpoch = entry.epoch;
    } else if (this.#counted !== undefined) this.#counted += entry.tokens;
  }

  /** About how many tokens the next request has, if instructions and tools have so many. */
  withPrefix(prefixTokens: number): number {
    const estimated = prefixTokens + this.#shown;
    if (this.#counted === undefined) return estimated;
    return this.#countedEpoch === this.#epoch ? this.#counted : Math.max(this.#counted, estimated);
  }
}

/** The `seq` of the last entry that changed how others are shown. */
function findChange(entries: readonly Entry[]): number {
  let last = 0;
  for (const entry of entries) if (changesView(entry)) last = Math.max(last, entry.seq);
  return last;
}

/** Whether an entry changes how older ones are shown. */
export function changesView({ kind }: Pick<Entry, "kind">): boolean {
  return kind === "summary" || kind === "prune";
}

/** The tokens of entries as they are shown. */
export function countShown(entries: readonly Entry[], wholeFrom: number = findWholeFrom(entries)): number {
  return sum(entries.map((entry) => countAsShown(entry, wholeFrom)));
}

function countAsShown(entry: Entry, wholeFrom: number): number {
  return isPruned(entry, wholeFrom) ? countPruned(entry) : entry.tokens;
}

/** The entries, with the sizes that they have when every result is shown as one line. */
export function asPruned(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) => (entry.kind === "result" ? { ...entry, tokens: countPruned(entry) } : entry));
}

/** The most characters of a text of this many tokens. Two tokens are left for rounding. */
export function toChars(tokens: number): number {
  return Math.max(0, Math.floor(((tokens - frameTokens - 2) / margin) * charsPerToken));
}

function isPruned(entry: Entry, wholeFrom: number): entry is Entry & ResultEntry {
  return entry.kind === "result" && entry.seq < wholeFrom;
}

/** Counts a result that is shown as one line, with arguments of average length. */
function countPruned(result: ResultEntry & Entry): number {
  return Math.min(result.tokens, countText(describePruned(result, "x".repeat(100))));
}

function countParts(
  parts: readonly (UserEntry["parts"][number] | AssistantMessage["parts"][number])[],
): number {
  let tokens = 0;
  for (const part of parts)
    if (part.type === "image") tokens += imageTokens;
    else tokens += countText(part.type === "call" ? part.name + part.input : part.text);
  return tokens;
}

function countText(text: string): number {
  return frameTokens + Math.ceil(countTokens(text) * margin);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
