import type { Entry, SummaryEntry } from "../../modules/sessions/index.ts";
import { listCalls } from "../loop/read-run.ts";
import { findWholeFrom } from "../loop/view.ts";
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
  | { readonly do: "prune"; readonly before: number }
  | SummaryPlan
  /** Nothing helps. The sizes tell what takes the room. */
  | { readonly do: "give-up"; readonly prefixTokens: number; readonly entryTokens: number };

/**
 * Shares of the limit: compaction begins at `full`, brings a request down to `enough`, and must save at least
 * `worthwhile`.
 */
const parts = { full: 0.8, enough: 0.5, worthwhile: 0.1 } as const;
/** The newest results stay whole, and the newest entries are kept beside a summary: at most so many tokens of them. */
const newest = { whole: 40_000, kept: 20_000 } as const;
/** The same for small windows, as shares of the limit and of the size of all entries. */
const newestParts = { whole: 0.3, kept: 0.25 } as const;
/** A summary after fewer steps than this counts as a further attempt. */
const leastSteps = 5;

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

/** Whether the next request is too large. */
export function isTooLarge(entries: readonly Entry[], { prefixTokens, limit }: Room): boolean {
  return measure(entries, prefixTokens) > limit * parts.full;
}

/**
 * Chooses what makes room: first old results become one line each, since their outputs can be read again; then a
 * summary; then nothing, if two summaries in a row have not helped. Every plan but the last leaves a request for which
 * {@link isTooLarge} is false.
 */
export function planCompaction(entries: readonly Entry[], room: Room): CompactionPlan {
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

/** Plans a summary of all but the newest entries. Undefined if that makes no room, or twice in a row has made none. */
export function planSummary(
  entries: readonly Entry[],
  { prefixTokens, limit }: Room,
): SummaryPlan | undefined {
  const attempt = countAttempts(entries) + 1;
  if (attempt > 2) return undefined;
  // A provider may have less room than is known here, so the kept part also depends on the size of the entries.
  const keep = Math.min(newest.kept, countShown(entries) * newestParts.kept) / attempt;
  const from = findStart(entries, keep);
  const kept = entries.filter(({ seq, kind }) => seq >= (from ?? 0) && kind !== "summary");
  const fits = prefixTokens + countShown(kept) + summaryTokens(limit) <= limit * parts.full;
  // A single large result can make the kept part too large: then all entries go into the summary.
  const keptFrom = from !== undefined && fits ? from : nextSeq(entries);
  const hasMore = entries.some(({ seq, kind }) => seq < keptFrom && kind !== "summary");
  if (!hasMore || prefixTokens + summaryTokens(limit) > limit * parts.full) return undefined;
  return { do: "summarise", keptFrom, attempt };
}

/** The longest that a summary may be, in tokens. */
export function summaryTokens(limit: number): number {
  return Math.floor(Math.min(6_000, limit * 0.15));
}

/** How many summaries in a row had next to nothing after them. */
function countAttempts(entries: readonly Entry[]): number {
  const summary = findSummary(entries);
  if (summary === undefined) return 0;
  const after = entries.filter(({ seq }) => seq > summary.seq);
  const steps = after.filter(({ kind }) => kind === "answer").length;
  const isAddressed = after.some(({ kind }) => kind === "user");
  return steps >= leastSteps || isAddressed ? 0 : summary.attempt;
}

function findSummary(entries: readonly Entry[]): (SummaryEntry & Entry) | undefined {
  return entries.findLast((entry) => entry.kind === "summary");
}

function nextSeq(entries: readonly Entry[]): number {
  return Math.max(0, ...entries.map(({ seq }) => seq)) + 1;
}

function giveUp(entries: readonly Entry[], { prefixTokens }: Room): CompactionPlan {
  return { do: "give-up", prefixTokens, entryTokens: countShown(entries) };
}

/**
 * The `seq` of the first of the newest entries that have at most so many tokens together, such that no answer is parted
 * from its results. Undefined where even the last step has more.
 */
export function findStart(entries: readonly Entry[], tokens: number): number | undefined {
  const own = entries.filter(({ kind }) => kind !== "summary");
  const open = new Set<string>();
  let start: number | undefined;
  let size = 0;
  for (const entry of own.toReversed()) {
    size += entry.tokens;
    if (size > tokens) break;
    if (entry.kind === "result" || entry.kind === "parked") open.add(entry.callId);
    if (entry.kind === "answer") for (const { callId } of listCalls(entry, entry.runId)) open.delete(callId);
    if (open.size === 0) start = entry.seq;
  }
  return start;
}
