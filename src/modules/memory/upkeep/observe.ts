import { type Trust, trusts } from "../../../kernel/index.ts";
import { askJson, countTokens } from "../../../model/index.ts";
import type { MemoryEntry, NewMemoryEntry } from "../store/memory-entry.ts";
import type { MemoryEdit } from "../store/memory-store.ts";
import { unobserved, unobservedTokens } from "./conversations.ts";
import type { MemoryWork } from "./memory-work.ts";
import { mostObservations, observePrompt, observeSchema, observeSystem } from "./prompts/observe-prompt.ts";
import { type Note, readKnown, readNote, withIds } from "./read-note.ts";
import { moveWatermark, readWatermark, type Watermark } from "./watermark.ts";
import { formatGenerationTag, promotionWaits } from "./work-tags.ts";

interface Observation extends Note {
  readonly from: readonly MemoryEntry[];
}

/** The most sources that the author of an entry names. */
const mostSources = 200;

/**
 * Notes what a conversation tells, once there is enough of it that was not looked at, batch by batch. Each batch is
 * kept whole, together with how far it went.
 */
export async function observe(
  work: MemoryWork,
  scope: string,
  session: string,
  signal: AbortSignal,
): Promise<void> {
  const { store, limits } = work;
  const { observeFromTokens: enough } = limits;
  if ((await unobservedTokens(store, scope, session, enough)) <= enough) return;
  for (;;) {
    signal.throwIfAborted();
    const mark = await readWatermark(store, scope, session);
    const batch = await nextBatch(work, scope, session, mark);
    const last = batch.at(-1);
    if (last?.place === undefined) return;
    const edits: MemoryEdit[] = [];
    for (const trust of trusts) edits.push(...(await observeOne(work, trust, batch, signal)));
    edits.push(moveWatermark(mark, session, last.place.position));
    await store.edit(scope, edits, { by: "observer" });
  }
}

async function nextBatch(
  { store, limits }: MemoryWork,
  scope: string,
  session: string,
  mark: Watermark,
): Promise<readonly MemoryEntry[]> {
  const batch: MemoryEntry[] = [];
  let tokens = 0;
  for await (const message of unobserved(store, scope, session, mark)) {
    tokens += countTokens(message.text);
    if (batch.length > 0 && tokens > limits.batchTokens) break;
    batch.push(message);
  }
  return batch;
}

/**
 * What people here said, and what came from outside, are looked at each by itself: so nothing from outside has a hand in
 * a note that is trusted.
 */
async function observeOne(
  { model, limits }: MemoryWork,
  trust: Trust,
  batch: readonly MemoryEntry[],
  signal: AbortSignal,
): Promise<readonly MemoryEdit[]> {
  const messages = withIds(
    "m",
    batch.filter((message) => message.trust === trust),
  );
  if (messages.size === 0) return [];
  const observations = await askJson(model, {
    system: observeSystem,
    prompt: observePrompt(messages, limits.batchTokens * 4),
    schema: observeSchema,
    maxTokens: limits.answerTokens,
    signal,
    otherwise: trust === "untrusted" ? [] : undefined,
    read: (answer) =>
      answer
        .get("observations")
        .list(mostObservations)
        .map((part) => ({
          ...readNote(part, limits.itemChars),
          from: readKnown(part.get("from"), messages),
        })),
  });
  return observations.map((observation) => toEdit(observation, trust));
}

function toEdit({ from, ...note }: Observation, trust: Trust): MemoryEdit {
  const waits = note.priority !== "low";
  return {
    do: "create_block",
    sources: from.slice(0, mostSources).map(({ id }) => id),
    entry: {
      ...toObservation(note, trust),
      tags: [formatGenerationTag(0), ...(waits ? [promotionWaits] : [])],
    },
  };
}

/** But for its tags. */
export function toObservation(
  { content, priority, date, expires, names }: Note,
  trust: Trust,
): NewMemoryEntry {
  return {
    kind: "observation",
    tier: "log",
    permission: "admin",
    text: content,
    category: priority,
    names,
    at: date,
    trust,
    ...(expires !== undefined && { validTo: expires }),
  };
}
