import type { JsonSchema } from "../../../kernel/index.ts";
import type { MemoryEntry } from "../../../store/index.ts";
import { dataLines, dataRule } from "./data-lines.ts";

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

const names = { type: "array", items: { type: "string" } };

export const graphSchema: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["memories"],
  properties: {
    memories: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["id", "nodes", "edges"],
        properties: {
          id: { type: "string" },
          nodes: {
            type: "array",
            maxItems: mostNodes,
            items: {
              type: "object",
              additionalProperties: false,
              required: ["name", "type"],
              properties: { name: { type: "string" }, type: { enum: nodeTypes }, aliases: names },
            },
          },
          edges: {
            type: "array",
            maxItems: mostEdges,
            items: {
              type: "object",
              additionalProperties: false,
              required: ["source", "relation", "target"],
              properties: {
                source: { type: "string" },
                relation: { type: "string" },
                target: { type: "string" },
              },
            },
          },
        },
      },
    },
  },
};

export function graphPrompt(memories: ReadonlyMap<string, MemoryEntry>): string {
  const lines = Array.from(memories, ([id, { text }]) => ({ id, text }));
  return `${dataLines("memories", lines)}\n\nSay of each what it is about.`;
}
