import type { JsonSchema } from "../../../../kernel/index.ts";
import { priorities } from "./priorities.ts";

export const text: JsonSchema = { type: "string" };
export const texts: JsonSchema = { type: "array", items: text };

type Properties = Readonly<Record<string, JsonSchema>>;

/** Nothing but these; those that are not optional have to be there. */
export function objectSchema(properties: Properties, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", additionalProperties: false, required, properties };
}

export function listSchema(items: JsonSchema, maxItems?: number): JsonSchema {
  return { type: "array", ...(maxItems !== undefined && { maxItems }), items };
}

/** A note, with what it has besides. */
export function noteSchema(more: Properties): JsonSchema {
  const day: JsonSchema = { type: "string", description: "2026-01-31" };
  const note = { content: text, priority: { enum: priorities }, date: day, expires: day, names: texts };
  return objectSchema({ ...note, ...more }, ["expires", "names"]);
}
