import { canonicalJson, isRecord } from "../../base/index.ts";
import type { JsonSchema } from "../../kernel/index.ts";

/**
 * Checks a value against a schema of our own without Ajv, which takes a good part of a start to load and compile. True
 * is certain. False only means that `compileJsonSchema` has to decide: the value doesn't fit, or the schema has a
 * keyword that is not known here. Patterns run as they are, so the schema must come from haft itself.
 */
export function plainlyFits(schema: unknown, value: unknown): boolean {
  if (typeof schema === "boolean") return schema;
  if (!isRecord(schema)) return false;
  return Object.entries(schema).every(
    ([keyword, wanted]) =>
      remarks.has(keyword) ||
      (Object.hasOwn(keywords, keyword) && keywords[keyword]?.(value, wanted, schema) === true),
  );
}

type Check = (value: unknown, wanted: unknown, schema: JsonSchema) => boolean;

const remarks: ReadonlySet<string> = new Set(["$schema", "title", "description", "examples"]);

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: isRecord,
  string: (value) => typeof value === "string",
};

const keywords: Readonly<Record<string, Check>> = {
  type: (value, wanted) =>
    [wanted].flat().some((name) => typeof name === "string" && types[name]?.(value) === true),
  enum: (value, wanted) => Array.isArray(wanted) && isPrimitive(value) && wanted.includes(value),
  const: (value, wanted) => isPrimitive(value) && value === wanted,

  anyOf: (value, wanted) => Array.isArray(wanted) && wanted.some((part) => plainlyFits(part, value)),

  minimum: (value, wanted) => typeof value !== "number" || value >= Number(wanted),
  maximum: (value, wanted) => typeof value !== "number" || value <= Number(wanted),

  minLength: (value, wanted) => typeof value !== "string" || countCharacters(value) >= Number(wanted),
  maxLength: (value, wanted) => typeof value !== "string" || countCharacters(value) <= Number(wanted),
  pattern: (value, wanted) => typeof value !== "string" || compilePattern(wanted)?.test(value) === true,

  items: (value, wanted) => !Array.isArray(value) || value.every((item) => plainlyFits(wanted, item)),
  minItems: (value, wanted) => !Array.isArray(value) || value.length >= Number(wanted),
  maxItems: (value, wanted) => !Array.isArray(value) || value.length <= Number(wanted),
  uniqueItems: (value, wanted) =>
    wanted === false || !Array.isArray(value) || new Set(value.map(canonicalJson)).size === value.length,

  required: (value, wanted) =>
    !isRecord(value) || (Array.isArray(wanted) && wanted.every((key: string) => Object.hasOwn(value, key))),
  properties: (value, wanted) =>
    !isRecord(value) ||
    (isRecord(wanted) &&
      Object.keys(wanted).every((key) => !Object.hasOwn(value, key) || plainlyFits(wanted[key], value[key]))),
  additionalProperties: (value, wanted, { properties = {}, patternProperties }) =>
    !isRecord(value) ||
    (patternProperties === undefined &&
      Object.keys(value).every(
        (key) => Object.hasOwn(properties as object, key) || plainlyFits(wanted, value[key]),
      )),
  propertyNames: (value, wanted) =>
    !isRecord(value) || Object.keys(value).every((key) => plainlyFits(wanted, key)),
  minProperties: (value, wanted) => !isRecord(value) || Object.keys(value).length >= Number(wanted),
  maxProperties: (value, wanted) => !isRecord(value) || Object.keys(value).length <= Number(wanted),
};

/** Values that JSON does not have, such as NaN or a Date, are left to Ajv. */
function isPrimitive(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** Undefined where JavaScript can't read it. */
function compilePattern(pattern: unknown): RegExp | undefined {
  try {
    return new RegExp(String(pattern), "u");
  } catch {
    return undefined;
  }
}
