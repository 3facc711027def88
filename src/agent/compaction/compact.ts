import { getErrorCode } from "../../base/index.ts";
import { type ChatModel, countTokens, ModelError, type UserMessage } from "../../model/index.ts";
import type { Entry, NewEntry } from "../../modules/sessions/index.ts";
import type { Journal, Prefix } from "../loop/journal.ts";
import type { LoopMeter } from "../loop/metered.ts";
import { readText } from "../loop/read-run.ts";
import { viewEntries } from "../loop/view.ts";
import { findLimit, isTooLarge, planCompaction, planSummary, type Room, summaryTokens } from "./plan.ts";
import { countEntry, countShown, measure } from "./size.ts";
import { summaryRequest, writeSummary } from "./summary-text.ts";

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
  readonly signal: AbortSignal;
}

/** How a view that is too large was shortened. `give-up`: it was not; the text says what takes the room. */
export type Compacted =
  | { readonly did: "prune" | "summarise" }
  | { readonly did: "give-up"; readonly text: string };

/** How large the requests of an epoch may be. */
function findRoom(prefix: Prefix | undefined, { facts }: ChatModel): Room {
  const { contextTokens, maxOutputTokens: answerTokens } = facts;
  return { prefixTokens: countPrefix(prefix), limit: findLimit({ contextTokens, answerTokens }) };
}

/** The tokens of each prefix, counted once. */
const counted = new WeakMap<Prefix, number>();

function countPrefix(prefix: Prefix | undefined): number {
  if (prefix === undefined) return 0;
  const tokens = counted.get(prefix) ?? countTokens(JSON.stringify([prefix.system, prefix.tools]));
  counted.set(prefix, tokens);
  return tokens;
}

/** Whether the next request is too large. */
export function needsRoom(journal: Journal, model: ChatModel): boolean {
  return isTooLarge(journal.entries, findRoom(journal.prefix, model));
}

/** About how many tokens the next request has. */
export function measureRequest(journal: Journal, model: ChatModel): number {
  return measure(journal.entries, findRoom(journal.prefix, model).prefixTokens);
}

/** Makes room for the next request, as {@link planCompaction} says. */
export async function compact(parts: CompactionParts): Promise<Compacted> {
  const { journal, model } = parts;
  const room = findRoom(journal.prefix, model);
  const plan = planCompaction(journal.entries, room);
  switch (plan.do) {
    case "prune":
      await journal.write({ entries: [{ kind: "prune", before: plan.before }] });
      return { did: "prune" };
    case "summarise": {
      const entry = await summarise(parts, plan, room);
      await journal.write({ prefix: await parts.makePrefix(), entries: [entry] });
      return { did: "summarise" };
    }
    case "give-up":
      return {
        did: "give-up",
        text: `The conversation has no room left in ${model.id}: instructions and tools have about ${plan.prefixTokens} tokens, the entries ${plan.entryTokens}, and a request may have ${room.limit}`,
      };
    default:
      return plan satisfies never;
  }
}

/** Sums up all but the newest entries, even if there is room. False if there is too little to sum up. */
export async function compactNow(parts: CompactionParts): Promise<boolean> {
  const room = findRoom(parts.journal.prefix, parts.model);
  const plan = planSummary(parts.journal.entries, room);
  if (plan === undefined) return false;
  const entry = await summarise(parts, plan, room);
  await parts.journal.write({ prefix: await parts.makePrefix(), entries: [entry] });
  return true;
}

async function summarise(
  parts: CompactionParts,
  { keptFrom, attempt }: { readonly keptFrom: number; readonly attempt: number },
  { limit }: Room,
): Promise<NewEntry> {
  const { journal, describeWork = async () => [] } = parts;
  const summed = journal.entries.filter(({ seq, kind }) => kind === "summary" || seq < keptFrom);
  const told = await askForSummary(parts, summed, summaryTokens(limit));
  const text = writeSummary(summed, told, await describeWork());
  const isTrusted = summed.every(({ trust }) => trust === "trusted");
  const content = { kind: "summary", text, keptFrom, attempt } as const;
  return { ...content, tokens: countEntry(content), trust: isTrusted ? "trusted" : "untrusted" };
}

/**
 * The model's part of the summary; empty if it has nothing to say or can't be asked, and the facts alone have to do.
 */
async function askForSummary(
  { journal, model, meter, signal }: CompactionParts,
  summed: readonly Entry[],
  maxTokens: number,
): Promise<string> {
  const { system = [], tools = [] } = journal.prefix ?? {};
  const metered = await meter?.({
    step: journal.steps,
    purpose: "compact",
    inputTokens: findRoom(journal.prefix, model).prefixTokens + countShown(summed),
    maxTokens,
  });
  if (metered?.do === "pause") return "";
  const request: UserMessage = { role: "user", parts: [{ type: "text", text: summaryRequest }] };
  const messages = [...viewEntries(summed), request];
  try {
    for await (const event of model.stream({
      system,
      tools,
      messages,
      toolChoice: "none",
      maxTokens: metered?.maxTokens ?? maxTokens,
      signal,
    }))
      if (event.type === "end") {
        const { usage, stop, model: answered } = event;
        await metered?.ended({ usage, stop, ...(answered !== undefined && { model: answered }) });
        return readText(event);
      }
    return "";
  } catch (thrown) {
    await metered?.failed({ code: getErrorCode(thrown) ?? "INTERRUPTED" });
    if (thrown instanceof ModelError) return "";
    throw thrown;
  }
}
