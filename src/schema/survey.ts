import { maxSchemaDepth } from "../base/index.ts";
import type { JsonSchema } from "../kernel/index.ts";
import { SchemaError } from "./errors.ts";

// The largest tools in the wild have some thousand parts; compiling as many as this takes half a second.
const maxParts = 10_000;
// Past this, code that stops at the first fault is nested deeper than the engine can read it.
const manyParts = 1_000;

/** What must be known of a schema before it is compiled. */
export interface Survey {
  /** A default may have to be filled in: values are copied first. */
  readonly hasDefaults: boolean;
  /** It refers to a published meta-schema, which is then loaded (from the package, never from the network). */
  readonly usesMetaSchema: boolean;
  /** It must be compiled so that it finds every fault at once. */
  readonly isLarge: boolean;
}

/** Walks the schema without recursion and refuses one that is too deep or too large to compile. */
export function surveySchema(schema: JsonSchema): Survey {
  let parts = 0;
  let hasDefaults = false;
  let usesMetaSchema = false;
  const pending: { readonly part: object; readonly depth: number }[] = [{ part: schema, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { part, depth } = next;
    if (depth > maxSchemaDepth) refuse(`it is nested more than ${maxSchemaDepth} levels deep`);
    for (const [key, value] of Object.entries(part)) {
      if (++parts > maxParts) refuse(`it has more than ${maxParts} parts`);
      if (key === "default") hasDefaults = true;
      if (key === "$ref" && typeof value === "string" && value.includes("json-schema.org/"))
        usesMetaSchema = true;
      if (typeof value === "object" && value !== null) pending.push({ part: value, depth: depth + 1 });
    }
  }
  return { hasDefaults, usesMetaSchema, isLarge: parts > manyParts };
}

function refuse(state: string): never {
  throw new SchemaError(
    "SCHEMA_TOO_LARGE",
    `Cannot compile the schema: ${state}; split the tool or describe less`,
  );
}
