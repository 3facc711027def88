import type { Entry, SummaryEntry } from "../../modules/sessions/index.ts";
import { listCalls } from "../loop/read-run.ts";
import { findWholeFrom } from "../loop/view.ts";
import { findShortfall, recentSteps } from "./progress.ts";
import { countShown, measure } from "./size.ts";

/** How large requests may be. */
export interface Room {
  /** The tokens of instructions and tools. */
  readonly prefixTokens: number;
  /** The most tokens of a request. */
  readonly limit: number;
}

/** The entries before `keptFrom` are summed up. */
export interface SummaryPlan {
  readonly do: "summarise";
  readonly keptFrom: number;
  readonly attempt: number;
}

/** What is done for a view that is too large. */
export type CompactionPlan =
  /** Results before an entry are shown as one line each. */
  { readonly do: "prune"; readonly before: number } | SummaryPlan | GiveUpPlan;

/** Nothing helps. The sizes tell what takes the room. */
export interface GiveUpPlan {
  readonly do: "give-up";
  readonly prefixTokens: number;
  readonly entryTokens: number;
  /** The tokens of the message that the model has not read yet; 0 if it has read all. */
  readonly unreadTokens: number;
  /** The provider's count of the request after the last compaction, if that is why nothing more is tried. */
  readonly counted?: number;
}

/**
 * Shares of the limit: compaction begins at `full`, brings a request down to `enough`, and must save at least
 * `worthwhile`.
 */
const parts = { full: 0.8, enough: 0.5, worthwhile: 0.1 } as const;
/** The newest results stay whole, and the newest entries are kept beside a summary: at most so many tokens of them. */
const newest = { whole: 40_000, kept: 20_000 } as const;
/** The same for small windows, as shares of the limit and of the size of all entries. */
const newestParts = { whole: 0.3, kept: 0.25, step: 0.5 } as const;
/** Tokens of a summary: the most, its share of a small window, and the least share that is worth one. */
const summary = { most: 12_000, part: 0.3, least: 0.15 } as const;

/** The most tokens of a request to a model: what it can take, without room for the answer. */
export function findLimit({
  contextTokens,
  answerTokens,
}: {
  readonly contextTokens: number;
  readonly answerTokens: number;
}): number {
  return Math.max(contextTokens - Math.max(answerTokens, 16_000), Math.floor(contextTokens / 2));
}

/** Whether a request of so many tokens is too large. */
export function isTooLarge(tokens: number, { limit }: Pick<Room, "limit">): boolean {
  return tokens > limit * parts.full;
}

/**
 * Chooses what makes room: first old results become one line each, since their outputs can be read again; then a
 * summary; then nothing, if two summaries in a row have not helped. Every plan but the last leaves a request for which
 * {@link isTooLarge} is false. After a compaction that freed too little by the provider's count, only a summary helps.
 */
export function planCompaction(entries: readonly Entry[], room: Room): CompactionPlan {
  const counted = findShortfall(entries, room);
  if (counted !== undefined) return planSummary(entries, room) ?? { ...giveUp(entries, room), counted };
  return planPrune(entries, room) ?? planSummary(entries, room) ?? giveUp(entries, room);
}

function planPrune(entries: readonly Entry[], { prefixTokens, limit }: Room): CompactionPlan | undefined {
  const keep = Math.min(newest.whole, limit * newestParts.whole);
  const before = findStart(entries, keep);
  if (before === undefined || before <= findWholeFrom(entries)) return undefined;
  const saved = countShown(entries) - countShown(entries, before);
  const isEnough = measure(entries, prefixTokens) - saved <= limit * parts.enough;
  return isEnough && saved >= limit * parts.worthwhile ? { do: "prune", before } : undefined;
}

/**
 * Plans a summary of all but the newest entries; a second one in a row keeps half as many of them. Undefined if that
 * makes no room, or twice in a row has made none.
 */
export function planSummary(entries: readonly Entry[], room: Room): SummaryPlan | undefined {
  const { prefixTokens, limit } = room;
  const attempt = countAttempts(entries) + 1;
  const size = summaryTokens(room);
  if (attempt > 2 || size === undefined) return undefined;
  const keptFrom = chooseStart(entries, room, attempt);
  const isLess = entries.some(({ seq, kind }) => seq < keptFrom && kind !== "summary");
  const kept = countKept(entries, keptFrom);
  return isLess && prefixTokens + kept + size <= limit * parts.full
    ? { do: "summarise", keptFrom, attempt }
    : undefined;
}

/** The `seq` of the first entry that is kept beside a summary. */
function chooseStart(entries: readonly Entry[], room: Room, attempt: number): number {
  const { prefixTokens, limit } = room;
  const size = summaryTokens(room) ?? 0;
  const leaves = (start: number, part: number) =>
    prefixTokens + countKept(entries, start) + size <= limit * part;
  const start = findStart(entries, chooseKept(entries, attempt));
  const unread = findUnread(entries)?.seq ?? nextSeq(entries);
  if (start !== undefined && leaves(start, parts.full)) return Math.min(start, unread);
  // One large result can make the newest step exceed that. It is kept anyway if half of the tokens go and room is left.
  const step = attempt === 1 ? findLastStep(entries) : undefined;
  const isKept =
    step !== undefined &&
    countKept(entries, step) <= countShown(entries) * newestParts.step &&
    leaves(step, parts.enough);
  return isKept ? Math.min(step, unread) : unread;
}

/** The most tokens that are kept beside a summary: at the second attempt half of what the first one kept. */
function chooseKept(entries: readonly Entry[], attempt: number): number {
  const last = findSummary(entries);
  if (attempt > 1 && last !== undefined)
    return Math.min(newest.kept, countShown(entries.filter(({ seq }) => seq < last.seq))) / attempt;
  // A provider may have less room than is known here, so the kept part also depends on the size of the entries.
  return Math.min(newest.kept, countShown(entries) * newestParts.kept) / attempt;
}

function countKept(entries: readonly Entry[], from: number): number {
  return countShown(entries.filter(({ seq, kind }) => seq >= from && kind !== "summary"));
}

/** The user's newest message, if no answer has followed it. The model has not read it yet, so it is kept whole. */
function findUnread(entries: readonly Entry[]): Entry | undefined {
  return entries.findLast(({ kind }) => kind === "answer" || kind === "user")?.kind === "user"
    ? entries.findLast(({ kind }) => kind === "user")
    : undefined;
}

/** The most tokens that a summary has; undefined if there is no room for one. */
export function summaryTokens({ prefixTokens, limit }: Room): number | undefined {
  const left = Math.floor(Math.min(summary.most, limit * summary.part, limit * parts.full - prefixTokens));
  return left < limit * summary.least && left < summary.most ? undefined : left;
}

/** How many summaries in a row had next to nothing after them. */
function countAttempts(entries: readonly Entry[]): number {
  const last = findSummary(entries);
  if (last === undefined) return 0;
  const after = entries.filter(({ seq }) => seq > last.seq);
  const steps = after.filter(({ kind }) => kind === "answer").length;
  const isAddressed = after.some(({ kind }) => kind === "user");
  return steps >= recentSteps || isAddressed ? 0 : last.attempt;
}

function findSummary(entries: readonly Entry[]): (SummaryEntry & Entry) | undefined {
  return entries.findLast((entry) => entry.kind === "summary");
}

function nextSeq(entries: readonly Entry[]): number {
  return entries.reduce((last, { seq }) => Math.max(last, seq), 0) + 1;
}

function giveUp(entries: readonly Entry[], { prefixTokens }: Room): GiveUpPlan {
  const unreadTokens = findUnread(entries)?.tokens ?? 0;
  return { do: "give-up", prefixTokens, entryTokens: countShown(entries), unreadTokens };
}

/**
 * The `seq` of the first of the newest entries that have at most so many tokens together, such that no answer is parted
 * from its results. Undefined where even the last step has more.
 */
export function findStart(entries: readonly Entry[], tokens: number): number | undefined {
  let start: number | undefined;
  let size = 0;
  for (const { entry, isWhole } of readBack(entries)) {
    size += entry.tokens;
    if (size > tokens) break;
    if (isWhole) start = entry.seq;
  }
  return start;
}

/** The `seq` of the newest answer with which a whole step begins. */
function findLastStep(entries: readonly Entry[]): number | undefined {
  for (const { entry, isWhole } of readBack(entries))
    if (entry.kind === "answer" && isWhole) return entry.seq;
  return undefined;
}

/** Entries from the newest back. `isWhole`: the answer of every result so far is among them. */
function* readBack(
  entries: readonly Entry[],
): Generator<{ readonly entry: Entry; readonly isWhole: boolean }> {
  const open = new Set<string>();
  for (const entry of entries.toReversed()) {
    if (entry.kind === "summary") continue;
    if ((entry.kind === "result" || entry.kind === "parked") && entry.callId !== undefined)
      open.add(entry.callId);
    if (entry.kind === "answer") for (const { callId } of listCalls(entry, entry.runId)) open.delete(callId);
    yield { entry, isWhole: open.size === 0 };
  }
}
