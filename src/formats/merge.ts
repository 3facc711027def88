import { isRecord, isSameJson, type JsonSchema, listTypes, readList, readRecord } from "../base/index.ts";
import { mapValues, type Schema } from "./expand.ts";
import { annotationKeywords } from "./keywords.ts";

/** A schema with its `allOf` merged into it. What cannot be merged stays in `allOf`, to be described. */
export function mergeAllOf(schema: JsonSchema): JsonSchema {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return close(schema);
  let merged: JsonSchema = own;
  for (const branch of allOf as Schema[]) {
    if (typeof branch === "object") merged = mergeSchemas(merged, mergeAllOf(branch));
    else if (!branch) merged = { ...merged, not: {} };
  }
  return close(merged);
}

/** Once merged, nothing is left unevaluated but what nobody named. */
function close(schema: JsonSchema): JsonSchema {
  const { unevaluatedProperties, ...rest } = schema;
  if (unevaluatedProperties === undefined || "additionalProperties" in rest) return schema;
  return { ...rest, additionalProperties: unevaluatedProperties };
}

/** A schema for what fits both. Remarks of `a` come first. */
export function mergeSchemas(a: JsonSchema, b: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...a };
  const rest: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(b)) {
    const other = merged[keyword];
    if (other === undefined) merged[keyword] = value;
    else if (keyword === "type") merged["type"] = commonTypes(a, b);
    else if (Object.hasOwn(combine, keyword))
      merged[keyword] = combine[keyword]?.(other as never, value as never);
    else if (!annotationKeywords.has(keyword) && !isSameJson(other, value)) rest[keyword] = value;
  }
  if (Object.keys(rest).length > 0) merged["allOf"] = [...readList(merged, "allOf"), rest];
  return merged;
}

function commonTypes(a: JsonSchema, b: JsonSchema): unknown {
  const wanted = listTypes(b) ?? [];
  const common = (listTypes(a) ?? []).flatMap((name) => {
    if (wanted.includes(name)) return [name];
    if (name === "number" && wanted.includes("integer")) return ["integer"];
    return name === "integer" && wanted.includes("number") ? ["integer"] : [];
  });
  return common.length === 1 ? common[0] : common;
}

const largest = (a: number, b: number) => Math.max(a, b);
const smallest = (a: number, b: number) => Math.min(a, b);

/** The keywords whose two values have one that says both. */
const combine: Readonly<Record<string, (a: never, b: never) => unknown>> = {
  minimum: largest,
  exclusiveMinimum: largest,
  minLength: largest,
  minItems: largest,
  minProperties: largest,
  maximum: smallest,
  exclusiveMaximum: smallest,
  maxLength: smallest,
  maxItems: smallest,
  maxProperties: smallest,
  required: (a: string[], b: string[]) => [...new Set([...a, ...b])],
  enum: (a: unknown[], b: unknown[]) => a.filter((one) => b.some((other) => isSameJson(one, other))),
  allOf: (a: unknown[], b: unknown[]) => [...a, ...b],
  uniqueItems: (a: boolean, b: boolean) => a || b,
  properties: (a: Record<string, Schema>, b: Record<string, Schema>) => ({
    ...a,
    ...mapValues(b, (value, key) => (Object.hasOwn(a, key) ? mergeBoth(a[key], value) : value)),
  }),
  items: mergeBoth,
  additionalProperties: mergeBoth,
  dependentRequired: (a: object, b: object) => ({ ...a, ...b }),
  patternProperties: (a: object, b: object) => ({ ...a, ...b }),
};

function mergeBoth(a: unknown, b: unknown): Schema {
  if (a === false || b === false) return false;
  if (!isRecord(a)) return isRecord(b) ? b : true;
  return isRecord(b) && !isSameJson(a, b) ? mergeAllOf({ allOf: [a, b] }) : a;
}

export function hasProperties(schema: JsonSchema): boolean {
  return Object.values(readRecord(schema, "properties")).some((part) => part !== false);
}
