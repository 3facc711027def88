import { type AssistantMessage, countTokens } from "../../model/index.ts";
import type { Entry, EntryContent, ResultEntry, UserEntry } from "../../modules/sessions/index.ts";
import { describePruned, findWholeFrom } from "../loop/view.ts";

/** Tokens counted for an image: about what providers count for one of common size. */
const imageTokens = 1_200;
/** Tokens that a request adds around each text. */
const frameTokens = 8;
/** Code, and text that is not English, has more tokens than a quarter of its characters. */
const margin = 1.1;
/** The rate that {@link countTokens} takes. */
const charsPerToken = 4;

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
 * another epoch is of other instructions, or of another model, and stands only if it is the higher one.
 */
export function measure(entries: readonly Entry[], prefixTokens: number): number {
  const changed = Math.max(0, ...entries.filter(changesView).map(({ seq }) => seq));
  const counted = entries.findLastIndex(
    (entry) => entry.kind === "answer" && entry.inputTokens !== undefined && entry.seq > changed,
  );
  const last = entries[counted];
  const estimated = prefixTokens + countShown(entries);
  if (last?.kind !== "answer") return estimated;
  const size = (last.inputTokens ?? 0) + sum(entries.slice(counted).map(({ tokens }) => tokens));
  return last.epoch === entries.at(-1)?.epoch ? size : Math.max(size, estimated);
}

function changesView({ kind }: Entry): boolean {
  return kind === "summary" || kind === "prune";
}

/** The tokens of entries as they are shown. */
export function countShown(entries: readonly Entry[], wholeFrom: number = findWholeFrom(entries)): number {
  return sum(entries.map((entry) => (isPruned(entry, wholeFrom) ? countPruned(entry) : entry.tokens)));
}

/** Entries with the tokens that they have where all results are shown as one line each. */
export function asPruned(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) => (entry.kind === "result" ? { ...entry, tokens: countPruned(entry) } : entry));
}

/** How many characters a text may have so that it has no more tokens; two are for rounding. */
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
  return sum(
    parts.map((part) => {
      if (part.type === "image") return imageTokens;
      return countText(part.type === "call" ? part.name + part.input : part.text);
    }),
  );
}

function countText(text: string): number {
  return frameTokens + Math.ceil(countTokens(text) * margin);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
