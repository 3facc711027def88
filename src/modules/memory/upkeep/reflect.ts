import { type Trust, trusts } from "../../../kernel/index.ts";
import { AnswerFault, type AnswerPart, askJson, countTokens } from "../../../model/index.ts";
import type { MemoryEntry } from "../store/memory-entry.ts";
import type { MemoryEdit } from "../store/memory-store.ts";
import { ownEntries } from "../store/own-pages.ts";
import type { MemoryWork } from "./memory-work.ts";
import { toObservation } from "./observe.ts";
import { mostObservations } from "./prompts/observe-prompt.ts";
import { reflectPrompt, reflectSchema, reflectSystem } from "./prompts/reflect-prompt.ts";
import { type Note, readKnown, readNote, withIds } from "./read-note.ts";
import { formatGenerationTag, promotionWaits, readGeneration } from "./work-tags.ts";

interface CondensedNote extends Note {
  readonly replaces: readonly MemoryEntry[];
}

/** Below this share of what makes it worth it, notes of one trust are left as they are. */
const worthwhile = 0.25;

/** Condenses observations once there are many. Those that were condensed stay, and say by what. */
export async function reflect(work: MemoryWork, scope: string, signal: AbortSignal): Promise<void> {
  const enough = work.limits.reflectFromTokens;
  const observations = await currentObservations(work, scope);
  if (countEntryTokens(observations) <= enough) return;
  for (const trust of trusts) {
    const same = observations.filter((one) => one.trust === trust);
    if (countEntryTokens(same) <= enough * worthwhile) continue;
    signal.throwIfAborted();
    const edits = await reflectOn(work, trust, takeFirst(same, work.limits.batchTokens), signal);
    if (edits.length > 0) await work.store.edit(scope, edits, { by: "reflector" });
  }
}

/** The oldest first; without those that have yet to be remembered each by itself. */
async function currentObservations({ store }: MemoryWork, scope: string): Promise<readonly MemoryEntry[]> {
  const found: MemoryEntry[] = [];
  for await (const one of ownEntries(store, scope, { kinds: ["observation"], order: "oldest" }))
    if (!one.tags.includes(promotionWaits)) found.push(one);
  return found.sort((a, b) => a.at - b.at);
}

async function reflectOn(
  { model, limits }: MemoryWork,
  trust: Trust,
  observations: readonly MemoryEntry[],
  signal: AbortSignal,
): Promise<readonly MemoryEdit[]> {
  const notes = withIds("n", observations);
  const condensed = await askJson(model, {
    system: reflectSystem,
    prompt: reflectPrompt(notes),
    schema: reflectSchema,
    maxTokens: limits.answerTokens,
    signal,
    otherwise: trust === "untrusted" ? [] : undefined,
    read: (answer) => readCondensed(answer, notes, limits.itemChars),
  });
  const edits: MemoryEdit[] = [];
  for (const { replaces, ...note } of condensed) {
    const supersededBy = `#${edits.length}`;
    const generation = Math.max(...replaces.map(({ tags }) => readGeneration(tags))) + 1;
    edits.push({
      do: "create_block",
      sources: replaces.map(({ id }) => id),
      entry: { ...toObservation(note, trust), tags: [formatGenerationTag(generation)] },
    });
    for (const { id, revision } of replaces)
      edits.push({ do: "set_block_facts", id, revision, facts: { supersededBy } });
  }
  return edits;
}

function readCondensed(
  answer: AnswerPart,
  notes: ReadonlyMap<string, MemoryEntry>,
  longest: number,
): readonly CondensedNote[] {
  const replaced = new Set<MemoryEntry>();
  return answer
    .get("notes")
    .list(mostObservations)
    .map((part) => {
      const note = { ...readNote(part, longest), replaces: readKnown(part.get("replaces"), notes) };
      for (const one of note.replaces) {
        if (replaced.has(one)) throw part.fault("replaces what another replaces");
        replaced.add(one);
      }
      const before = note.replaces.reduce((sum, { text }) => sum + text.length, 0);
      if (note.content.length > before) throw new AnswerFault("a note is longer than those that it replaces");
      return note;
    });
}

function countEntryTokens(entries: readonly MemoryEntry[]): number {
  return entries.reduce((sum, { text }) => sum + countTokens(text), 0);
}

function takeFirst(entries: readonly MemoryEntry[], mostTokens: number): readonly MemoryEntry[] {
  let tokens = 0;
  const end = entries.findIndex(({ text }, index) => (tokens += countTokens(text)) > mostTokens && index > 0);
  return end < 0 ? entries : entries.slice(0, end);
}
