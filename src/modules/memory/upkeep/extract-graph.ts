import { trusts } from "../../../kernel/index.ts";
import type { AnswerPart } from "../../../model/index.ts";
import { askJson } from "../../../model/index.ts";
import type { GraphFacts, MemoryGraph } from "../store/graph/memory-graph.ts";
import type { MemoryEntry } from "../store/memory-entry.ts";
import type { MemoryEdit } from "../store/memory-store.ts";
import type { MemoryWork } from "./memory-work.ts";
import {
  graphPrompt,
  graphSchema,
  graphSystem,
  mostEdges,
  mostNodes,
  nodeTypes,
} from "./prompts/graph-prompt.ts";
import { withIds } from "./read-note.ts";
import { entriesWaiting, graphWaits } from "./work-tags.ts";

const longestName = 100;
const longestRelation = 60;
const mostAliases = 10;

/**
 * Notes what a memory is about, or all that wait for it. Said twice by one memory, it is the same: this may be done
 * again.
 */
export async function extractGraph(
  work: MemoryWork,
  scope: string,
  signal: AbortSignal,
  entryId?: string,
): Promise<void> {
  const { graph, store } = work;
  if (graph === undefined) return;
  if (entryId !== undefined) {
    const entry = await store.get(scope, entryId);
    const isOurs = entry?.scope === scope && entry.deletedAt === undefined;
    return isOurs ? extractFrom(work, graph, scope, [entry], signal) : undefined;
  }
  for (const trust of trusts) {
    for (;;) {
      signal.throwIfAborted();
      const waiting = await entriesWaiting(work, scope, { tag: graphWaits, trust });
      if (waiting.length === 0) break;
      await extractFrom(work, graph, scope, waiting, signal);
    }
  }
}

async function extractFrom(
  { store, model, limits }: MemoryWork,
  graph: Pick<MemoryGraph, "add">,
  scope: string,
  entries: readonly MemoryEntry[],
  signal: AbortSignal,
): Promise<void> {
  const memories = withIds("k", entries);
  const facts = await askJson(model, {
    system: graphSystem,
    prompt: graphPrompt(memories),
    schema: graphSchema,
    maxTokens: limits.answerTokens,
    signal,
    otherwise: entries.every(({ trust }) => trust === "untrusted") ? [] : undefined,
    read: (answer) => readFacts(answer, memories),
  });
  await graph.add(scope, facts);
  const done = entries
    .filter(({ tags }) => tags.includes(graphWaits))
    .map(({ id, revision, tags }): MemoryEdit => {
      const left = tags.filter((tag) => tag !== graphWaits);
      return { do: "set_block_facts", id, revision, facts: { tags: left } };
    });
  await store.edit(scope, done, { by: "promoter" });
}

function readFacts(answer: AnswerPart, memories: ReadonlyMap<string, MemoryEntry>): readonly GraphFacts[] {
  return answer
    .get("memories")
    .list(memories.size)
    .map((part) => ({
      entryId: part.get("id").known(memories).id,
      nodes: part
        .get("nodes")
        .list(mostNodes)
        .map((node) => ({
          name: readName(node.get("name"), longestName),
          type: node.get("type").oneOf(nodeTypes),
          aliases: node.get("aliases").optionalItems(mostAliases, (alias) => readName(alias, longestName)),
        })),
      edges: part
        .get("edges")
        .list(mostEdges)
        .map((edge) => ({
          source: readName(edge.get("source"), longestName),
          relation: readName(edge.get("relation"), longestRelation),
          target: readName(edge.get("target"), longestName),
        })),
    }));
}

function readName(part: AnswerPart, longest: number): string {
  const name = part.line(longest);
  if (!/[\p{L}\p{N}]/u.test(name)) throw part.fault("has no letter");
  return name;
}
