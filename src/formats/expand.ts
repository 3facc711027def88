import { isRecord, type JsonSchema, resolveLocalRef } from "../base/index.ts";
import { annotationKeywords, findKeywordKind } from "./keywords.ts";

export type Schema = JsonSchema | boolean;

// A definition this large already costs a model more than it is worth; what is left out is described instead.
const maxParts = 2_000;
const maxDepth = 24;
// How often a schema may be unfolded inside itself: once more shows a model what "the same form" means.
const maxUnfolded = 2;

/**
 * The schema as a tree without references, in the words of 2020-12. Recursion is cut where a schema would unfold
 * within itself for the third time; the cut is described.
 *
 * @throws {TypeError} for a reference that leads nowhere or out of the schema, and for a keyword misused.
 */
export function expandSchema(root: JsonSchema): JsonSchema {
  const expanded = new Expansion(root).expand(root, []);
  return typeof expanded === "boolean" ? {} : expanded;
}

class Expansion {
  readonly #root: JsonSchema;
  #parts = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** `trail` has the references that led here. */
  expand(schema: unknown, trail: readonly string[], depth = 0): Schema {
    if (typeof schema === "boolean") return schema;
    if (!isRecord(schema)) return {};
    const ref = schema["$ref"] ?? schema["$dynamicRef"] ?? schema["$recursiveRef"];
    if (++this.#parts > maxParts || depth > maxDepth) return cut(schema, "not shown further");
    const own = this.#expandOwn(modernize(schema), trail, depth);
    return typeof ref === "string" ? join(own, this.#expandRef(ref, trail, depth)) : own;
  }

  #expandRef(ref: string, trail: readonly string[], depth: number): Schema {
    if (isMetaSchema(ref)) return { type: ["object", "boolean"], description: "A JSON Schema" };
    const found = resolveRef(this.#root, ref);
    if (typeof found === "boolean") return found;
    if (trail.filter((other) => other === ref).length >= maxUnfolded) {
      return cut(found, `of the same form as the ${toName(ref)} that holds it`);
    }
    return this.expand(found, [...trail, ref], depth + 1);
  }

  #expandOwn(schema: JsonSchema, trail: readonly string[], depth: number): JsonSchema {
    const own: Record<string, unknown> = {};
    const inner = (part: unknown) => this.expand(part, trail, depth + 1);
    for (const [keyword, value] of Object.entries(schema)) {
      const kind = findKeywordKind(keyword, value);
      if (kind === undefined) continue;
      if (kind === "one") own[keyword] = inner(value);
      else if (kind === "list") own[keyword] = (value as unknown[]).map(inner);
      else if (kind === "map") own[keyword] = mapValues(value as JsonSchema, inner);
      else own[keyword] = value;
    }
    return own;
  }
}

function isMetaSchema(ref: string): boolean {
  return /^https?:\/\/json-schema\.org\//.test(ref);
}

function resolveRef(root: JsonSchema, ref: string): Schema {
  const found = resolveLocalRef(root, ref);
  if (found !== undefined) return found;
  throw new TypeError(
    `Cannot follow the reference "${ref}": the schema has no such part, and only local ones are followed`,
  );
}

/** @throws {TypeError} for a reference that leads nowhere or out of the schema. */
export function requireReferences(root: JsonSchema): void {
  const seen = new Set<object>([root]);
  for (const part of seen) {
    const { $ref } = part as JsonSchema;
    if (typeof $ref === "string" && !isMetaSchema($ref)) resolveRef(root, $ref);
    for (const inner of Object.values(part)) if (typeof inner === "object" && inner !== null) seen.add(inner);
  }
}

export function mapValues<Value>(
  record: Readonly<Record<string, unknown>>,
  change: (value: unknown, key: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** Draft-07's tuples and dependencies, and OpenAPI's `nullable`, as 2020-12 says them. */
function modernize(schema: JsonSchema): JsonSchema {
  const isModern = !("dependencies" in schema) && !("nullable" in schema) && !Array.isArray(schema["items"]);
  if (isModern) return schema;
  const { items, additionalItems, dependencies, nullable, type, ...rest } = schema;
  const modern: Record<string, unknown> = { ...rest };
  if (type !== undefined)
    modern["type"] = nullable === true && typeof type === "string" ? [type, "null"] : type;
  if (Array.isArray(items)) {
    modern["prefixItems"] = items;
    if (additionalItems !== undefined) modern["items"] = additionalItems;
  } else if (items !== undefined) modern["items"] = items;
  if (isRecord(dependencies)) {
    const entries = Object.entries(dependencies);
    modern["dependentRequired"] = Object.fromEntries(entries.filter(([, value]) => Array.isArray(value)));
    modern["dependentSchemas"] = Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value)));
  }
  return modern;
}

/** What stands beside a reference holds too; a mere remark goes over what the reference says. */
function join(own: JsonSchema, found: Schema): Schema {
  const keywords = Object.keys(own);
  if (keywords.length === 0) return found;
  if (typeof found === "boolean") return found ? own : false;
  if (keywords.every((keyword) => annotationKeywords.has(keyword))) return { ...found, ...own };
  return { ...own, allOf: [...(Array.isArray(own["allOf"]) ? own["allOf"] : []), found] };
}

function cut({ type, description, title }: JsonSchema, words: string): JsonSchema {
  const said = description ?? title;
  return {
    ...(type !== undefined && { type }),
    description: typeof said === "string" ? `${said} (${words})` : words,
  };
}

function toName(ref: string): string {
  const last = ref.split(/[/#]/).at(-1) ?? "";
  return last === "" ? "object" : `"${last}"`;
}
