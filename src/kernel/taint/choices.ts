import { isRecord } from "../../base/index.ts";
import { toJsonSchema } from "../tool/schema.ts";
import type { Tool } from "../tool/tool.ts";

const maxDepth = 16;

const choices = new WeakMap<Tool, ReadonlySet<string>>();

/** The words that a tool's own schema offers to choose from: whoever says one of them says nothing of its own. */
export function listChoices(tool: Tool): ReadonlySet<string> {
  let known = choices.get(tool);
  if (known === undefined) {
    known = new Set(wordsIn(readSchema(tool), 0));
    choices.set(tool, known);
  }
  return known;
}

function readSchema({ parameters }: Tool): unknown {
  try {
    return toJsonSchema(parameters);
  } catch {
    return undefined; // A schema that can't be had as JSON offers nothing that could be told.
  }
}

function* wordsIn(schema: unknown, depth: number): Generator<string> {
  if (depth > maxDepth) return;
  if (Array.isArray(schema)) for (const part of schema) yield* wordsIn(part, depth + 1);
  if (!isRecord(schema)) return;
  const { enum: offered, const: only, ...parts } = schema;
  for (const word of [...(Array.isArray(offered) ? offered : []), only])
    if (typeof word === "string") yield word;
  for (const part of Object.values(parts)) yield* wordsIn(part, depth + 1);
}
