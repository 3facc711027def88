import { type JsonSchema, listTypes } from "../base/index.ts";
import { objectAlternatives } from "./alternatives.ts";
import { dialects } from "./dialects.ts";
import { expandSchema } from "./expand.ts";
import { mergeAllOf } from "./merge.ts";
import type { Restore } from "./restore.ts";
import { SchemaRewriter } from "./rewrite.ts";
import { rewriteRoot } from "./rewrite-object.ts";

/** Parameters in the form of one API. */
export interface Converted {
  readonly parameters: JsonSchema;
  /** What is asked of the arguments as a whole and no schema could say. */
  readonly words: string | undefined;
  readonly restore: Restore | undefined;
}

/** @throws {TypeError} where the arguments could never be an object, or a reference leads nowhere. */
export function convertParameters(schema: JsonSchema, target: keyof typeof dialects): Converted {
  const merged = mergeAllOf(expandSchema(schema));
  requireObject(merged);
  const { schema: parameters, words, restore } = rewriteRoot(new SchemaRewriter(dialects[target]), merged);
  return { parameters, words, restore };
}

/** @throws {TypeError} */
export function requireObject(schema: JsonSchema): void {
  if (objectAlternatives(schema).length > 0) return;
  const types = listTypes(schema)?.join(" or ") ?? "never an object";
  throw new TypeError(
    `Cannot offer these parameters to a model: they are ${types}, and arguments are always an object`,
  );
}
