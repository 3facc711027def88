import { type Trust, trusts } from "../../../kernel/index.ts";
import type { AnswerPart } from "../../../model/index.ts";
import { askJson } from "../../../model/index.ts";
import { memoryGate } from "../store/access.ts";
import { saysTheSame } from "../store/likeness.ts";
import type { MemoryEntry } from "../store/memory-entry.ts";
import type { MemoryEdit } from "../store/memory-store.ts";
import type { MemoryWork } from "./memory-work.ts";
import { mostMemories, promotePrompt, promoteSchema, promoteSystem } from "./prompts/promote-prompt.ts";
import { readKnown, readNames, withIds } from "./read-note.ts";
import { cosine, differInFact } from "./same-said.ts";
import { entriesWaiting, graphWaits, promotionDone, promotionWaits } from "./work-tags.ts";

interface Promoted {
  readonly text: string;
  readonly names: readonly string[];
  readonly from: readonly [MemoryEntry, ...MemoryEntry[]];
  readonly supersedes: MemoryEntry | undefined;
}

/** Makes memories of the observations that wait for it. An older memory that one contradicts stays, and says by what it was superseded. */
export async function promote(work: MemoryWork, scope: string, signal: AbortSignal): Promise<void> {
  for (const trust of trusts) {
    let done: number;
    do {
      signal.throwIfAborted();
      done = await promoteSome(work, scope, trust, signal);
    } while (done > 0);
  }
}

/** How many observations were decided on. */
async function promoteSome(
  work: MemoryWork,
  scope: string,
  trust: Trust,
  signal: AbortSignal,
): Promise<number> {
  const { store, model, limits, clock } = work;
  const waiting = await entriesWaiting(work, scope, { tag: promotionWaits, trust, kind: "observation" });
  if (waiting.length === 0) return 0;
  const similar = await similarMemories(work, scope, waiting, signal);
  const asked = waiting.filter(
    ({ text, validTo = Number.POSITIVE_INFINITY, supersededBy }) =>
      validTo > clock.now() &&
      supersededBy === undefined &&
      !similar.some((memory) => saysTheSame(memory.text, text)),
  );
  const notes = withIds("n", asked);
  const older = withIds("k", similar);
  const promoted =
    asked.length === 0
      ? []
      : await askJson(model, {
          system: promoteSystem,
          prompt: promotePrompt(notes, older),
          schema: promoteSchema,
          maxTokens: limits.answerTokens,
          signal,
          otherwise: trust === "untrusted" ? [] : undefined,
          read: (answer) => readPromoted(answer, { notes, older, longest: limits.itemChars }),
        });
  const fresh = await withoutSame(work, promoted, similar, signal);
  const edits: MemoryEdit[] = [];
  for (const one of fresh) edits.push(...toEdits(work, one, trust, edits.length));
  for (const { id, revision, tags } of waiting) {
    const left = [...tags.filter((tag) => tag !== promotionWaits), promotionDone];
    edits.push({ do: "set_block_facts", id, revision, facts: { tags: left } });
  }
  await store.edit(scope, edits, { by: "promoter" });
  return waiting.length;
}

/**
 * Similar memories of the same trust alone: untrusted ones neither change nor judge what people here said.
 */
async function similarMemories(
  { store, limits }: MemoryWork,
  scope: string,
  waiting: readonly MemoryEntry[],
  signal: AbortSignal,
): Promise<readonly MemoryEntry[]> {
  const found = new Map<string, MemoryEntry>();
  for (const { text, trust } of waiting) {
    const { hits } = await store.search(scope, {
      query: text,
      kinds: ["memory"],
      owned: "own",
      limit: limits.similarShown * 2,
      timePhrases: false,
      hops: 0,
      signal,
    });
    const same = hits.map(({ entry }) => entry).filter((entry) => entry.trust === trust);
    for (const entry of same.slice(0, limits.similarShown)) found.set(entry.id, entry);
  }
  return Array.from(found.values());
}

interface Shown {
  readonly notes: ReadonlyMap<string, MemoryEntry>;
  readonly older: ReadonlyMap<string, MemoryEntry>;
  readonly longest: number;
}

function readPromoted(answer: AnswerPart, { notes, older, longest }: Shown): readonly Promoted[] {
  const superseded = new Set<MemoryEntry>();
  return answer
    .get("memories")
    .list(mostMemories)
    .map((part) => {
      const wrong = part.get("supersedes").optional((id) => id.known(older));
      const supersedes = wrong === undefined || superseded.has(wrong) ? undefined : wrong;
      if (supersedes !== undefined) superseded.add(supersedes);
      return {
        text: part.get("text").line(longest),
        names: readNames(part.get("names")),
        from: readKnown(part.get("from"), notes),
        supersedes,
      };
    });
}

/** Without those that say what is known, or what another of them says. */
async function withoutSame(
  { embedder, limits }: MemoryWork,
  promoted: readonly Promoted[],
  similar: readonly MemoryEntry[],
  signal: AbortSignal,
): Promise<readonly Promoted[]> {
  const texts = [...similar, ...promoted].map(({ text }) => text);
  const vectors = promoted.length === 0 ? undefined : await embedder?.embed(texts, signal);
  const isSame = (a: number, b: number) => {
    const [one = "", other = ""] = [texts[a], texts[b]];
    if (saysTheSame(one, other)) return true;
    const [ofOne, ofOther] = [vectors?.[a], vectors?.[b]];
    if (ofOne === undefined || ofOther === undefined || differInFact(one, other)) return false;
    return cosine(ofOne, ofOther) >= limits.sameFrom;
  };
  return promoted.filter((one, index) => {
    const at = similar.length + index;
    return !texts.slice(0, at).some((_, other) => similar[other] !== one.supersedes && isSame(other, at));
  });
}

function toEdits(
  { graph }: MemoryWork,
  { text, names, from, supersedes }: Promoted,
  trust: Trust,
  index: number,
): readonly MemoryEdit[] {
  // It matters for as long as the longest of what it was made of.
  const ends = from.map(({ validTo }) => validTo ?? Number.POSITIVE_INFINITY);
  const validTo = Math.max(...ends);
  const created: MemoryEdit = {
    do: "create_block",
    sources: from.map(({ id }) => id),
    entry: {
      kind: "memory",
      permission: "admin",
      text,
      names,
      at: Math.max(...from.map(({ at }) => at)),
      trust,
      tags: graph === undefined ? [] : [graphWaits],
      ...(Number.isFinite(validTo) && { validTo }),
    },
  };
  if (supersedes === undefined || !mayBeSuperseded(supersedes)) return [created];
  const { id, revision } = supersedes;
  return [created, { do: "set_block_facts", id, revision, facts: { supersededBy: `#${index}` } }];
}

/** What a person keeps by name or in sight, or that not everybody may overwrite, is theirs to correct. */
function mayBeSuperseded({ label, pinned, permission }: MemoryEntry): boolean {
  return label === undefined && !pinned && memoryGate(permission, "overwrite") === "allow";
}
