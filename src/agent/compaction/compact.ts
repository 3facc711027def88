import { getErrorCode } from "../../base/index.ts";
import { type ChatModel, countTokens, ModelError, type UserMessage } from "../../model/index.ts";
import type { Entry, NewEntry } from "../../modules/sessions/index.ts";
import { HeardTokens } from "../loop/heard-tokens.ts";
import type { Journal, Prefix } from "../loop/journal.ts";
import type { LoopMeter } from "../loop/metered.ts";
import { readText } from "../loop/read-run.ts";
import { viewEntries } from "../loop/view.ts";
import type { BudgetPause } from "../usage/usage-meter.ts";
import { describeGiveUp } from "./give-up.ts";
import {
  findLimit,
  findStart,
  isTooLarge,
  planCompaction,
  planSummary,
  type Room,
  type SummaryPlan,
  summaryTokens,
} from "./plan.ts";
import { findShortfall } from "./progress.ts";
import { asPruned, countEntry, countShown } from "./size.ts";
import { summaryRequest, toldTokens, writeSummary } from "./summary-text.ts";

/** What compaction works with. */
export interface CompactionParts {
  readonly journal: Journal;
  readonly model: ChatModel;
  /** Instructions and tools as they are now: an epoch begins with them. */
  readonly makePrefix: () => Promise<Prefix>;
  /** Facts about the work from the store, one per line. @default nothing */
  readonly describeWork?: () => Promise<readonly string[]>;
  /** Counts the request for a summary, and keeps it within budgets. @default nothing is counted */
  readonly meter?: LoopMeter;
  /** The message of the provider's refusal, if it refused a request as too long. @default none was refused */
  readonly refusal?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * How a view that is too large was shortened. `give-up`: it was not; the text says what takes the room. `pause`: the
 * budget has no room for a summary, and nothing was left out.
 */
export type Compacted =
  | { readonly did: "prune" | "summarise" }
  | { readonly did: "give-up"; readonly text: string }
  | { readonly did: "pause"; readonly pause: BudgetPause };

/** How large the requests of an epoch may be. */
function findRoom(prefix: Prefix | undefined, { facts }: ChatModel): Room {
  const { contextTokens, maxOutputTokens: answerTokens } = facts;
  return { prefixTokens: countPrefix(prefix), limit: findLimit({ contextTokens, answerTokens }) };
}

/** The tokens of each prefix, counted once. */
const counted = new WeakMap<Prefix, number>();

/** Estimated tokens of instructions and tools. */
export function countPrefix(prefix: Prefix | undefined): number {
  if (prefix === undefined) return 0;
  const tokens = counted.get(prefix) ?? countTokens(JSON.stringify([prefix.system, prefix.tools]));
  counted.set(prefix, tokens);
  return tokens;
}

/** Whether the next request is too large, or the newest compaction freed too little. */
export function needsRoom(journal: Journal, model: ChatModel): boolean {
  const room = findRoom(journal.prefix, model);
  return (
    isTooLarge(journal.shown.measure(room.prefixTokens), room) ||
    findShortfall(journal.entries, room) !== undefined
  );
}

/** About how many tokens the next request has. */
export function measureRequest(journal: Journal): number {
  return journal.shown.measure(countPrefix(journal.prefix));
}

/** Makes room for the next request, as {@link planCompaction} says. */
export async function compact(parts: CompactionParts): Promise<Compacted> {
  const { journal, model, refusal } = parts;
  const room = findRoom(journal.prefix, model);
  const plan = planCompaction(journal.entries, room);
  switch (plan.do) {
    case "prune":
      await journal.write({ entries: [{ kind: "prune", before: plan.before }] });
      return { did: "prune" };
    case "summarise":
      return summarise(parts, plan, room);
    case "give-up": {
      const { prefix } = journal;
      return { did: "give-up", text: describeGiveUp({ model: model.id, plan, room, prefix, refusal }) };
    }
    default:
      return plan satisfies never;
  }
}

/** Sums up all but the newest entries, even if there is room. Undefined if there is too little to sum up. */
export async function compactNow(parts: CompactionParts): Promise<Compacted | undefined> {
  const room = findRoom(parts.journal.prefix, parts.model);
  const plan = planSummary(parts.journal.entries, room);
  return plan && summarise(parts, plan, room);
}

/** The most hosts that a summary names; the newest are kept. */
const mostHosts = 200;

function listHosts(entries: readonly Entry[]): readonly string[] {
  const hosts = entries.flatMap((entry) =>
    entry.kind === "result" || entry.kind === "summary" ? (entry.hosts ?? []) : [],
  );
  return Array.from(new Set(hosts)).slice(-mostHosts);
}

async function summarise(
  parts: CompactionParts,
  { keptFrom, attempt }: SummaryPlan,
  room: Room,
): Promise<Compacted> {
  const { journal, makePrefix, describeWork = async () => [] } = parts;
  const summed = journal.entries.filter(({ seq, kind }) => kind === "summary" || seq < keptFrom);
  const tokens = summaryTokens(room) ?? 0;
  const answer = await askForSummary(parts, summed, { room, maxTokens: toldTokens(tokens) });
  if (answer.pause !== undefined) return { did: "pause", pause: answer.pause };
  const facts = await describeWork();
  const text = writeSummary({ entries: summed, told: answer.told, facts, tokens });
  // Facts are about the whole conversation, also the part that is kept.
  const sources = facts.length === 0 ? summed : journal.entries;
  const hosts = listHosts(summed);
  const content = { kind: "summary", text, keptFrom, attempt, ...(hosts.length > 0 && { hosts }) } as const;
  const entry: NewEntry = {
    ...content,
    tokens: countEntry(content),
    // A paraphrase can't be traced, so the whole text is as what it was made of.
    trust: sources.every(({ trust }) => trust === "trusted") ? "trusted" : "untrusted",
    private: sources.some((one) => one.private),
  };
  await journal.write({ prefix: await makePrefix(), entries: [entry] });
  return { did: "summarise" };
}

/** The outcome of a request for a summary. */
type ToldSummary =
  /** Empty if the model has nothing to say or can't be asked: then the facts alone have to do. */
  | { readonly told: string; readonly pause?: undefined }
  /** Why the budget does not allow the request. */
  | { readonly pause: BudgetPause };

async function askForSummary(
  { journal, model, meter, signal }: CompactionParts,
  summed: readonly Entry[],
  { room, maxTokens }: { readonly room: Room; readonly maxTokens: number },
): Promise<ToldSummary> {
  const { system = [], tools = [] } = journal.prefix ?? {};
  const shown = fitToRead(summed, room);
  if (shown.length === 0) return { told: "" };
  const metered = await meter?.({
    step: journal.steps,
    purpose: "compact",
    inputTokens: room.prefixTokens + countShown(shown),
    maxTokens,
  });
  if (metered?.do === "pause") return { pause: metered };
  const request: UserMessage = { role: "user", parts: [{ type: "text", text: summaryRequest }] };
  const heard = new HeardTokens();
  try {
    for await (const event of model.stream({
      system,
      tools,
      messages: [...viewEntries(shown), request],
      toolChoice: "none",
      maxTokens: metered?.maxTokens ?? maxTokens,
      cacheKey: journal.sessionId,
      signal,
    })) {
      heard.hear(event);
      if (event.type === "end") {
        const { usage, stop, model: answered } = event;
        await metered?.ended({ usage, stop, ...(answered !== undefined && { model: answered }) });
        return { told: stop === "refused" ? "" : readText(event) };
      }
    }
    return { told: "" };
  } catch (thrown) {
    await metered?.failed({ code: getErrorCode(thrown) ?? "INTERRUPTED", outputTokens: heard.take() });
    signal.throwIfAborted();
    if (thrown instanceof ModelError) return { told: "" };
    throw thrown;
  }
}

/**
 * Chooses the entries that a request for a summary shows. If all of them are too large, results become one line each;
 * if that is not enough, only the newest are shown.
 */
function fitToRead(entries: readonly Entry[], { prefixTokens, limit }: Room): readonly Entry[] {
  const left = limit - prefixTokens - countTokens(summaryRequest) * 2;
  if (countShown(entries) <= left) return entries;
  const before = Math.max(...entries.map(({ seq }) => seq)) + 1;
  const pruned = asPruned(entries);
  const first = entries.filter(({ kind }) => kind === "summary");
  const from = findStart(pruned, left - countShown(first));
  if (from === undefined) return [];
  const last = entries.at(-1) as Entry;
  return [
    ...first,
    ...entries.filter(({ seq, kind }) => kind !== "summary" && seq >= from),
    { ...last, kind: "prune", before, seq: before, tokens: 0 },
  ];
}
