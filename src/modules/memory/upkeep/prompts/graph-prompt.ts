import { dataLines } from "../../../../base/index.ts";
import type { JsonSchema } from "../../../../kernel/index.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import { listSchema, objectSchema, text, texts } from "./answer-schema.ts";
import { dataRule } from "./data-lines.ts";

export const nodeTypes = ["person", "place", "concept", "event", "entity"] as const;
export const mostNodes = 20;
export const mostEdges = 20;

export const graphSystem: string = [
  "You take memories apart into what they are about and how that hangs together.",
  "nodes: people, places, concepts, events and other entities that the memory names, by their names as they are written there; no dates, no adjectives, no whole sentences.",
  "edges: what the memory says of two of its nodes, as a few words in the present tense (works at, lives in, mother of). Only what it says.",
  "A memory that names nothing has empty lists.",
  dataRule,
].join("\n");

export const graphSchema: JsonSchema = objectSchema({
  memories: listSchema(
    objectSchema({
      id: text,
      nodes: listSchema(
        objectSchema({ name: text, type: { enum: nodeTypes }, aliases: texts }, ["aliases"]),
        mostNodes,
      ),
      edges: listSchema(objectSchema({ source: text, relation: text, target: text }), mostEdges),
    }),
  ),
});

export function graphPrompt(memories: ReadonlyMap<string, MemoryEntry>): string {
  const lines = Array.from(memories, ([id, { text }]) => ({ id, text }));
  return `${dataLines("memories", lines)}\n\nSay of each what it is about.`;
}
