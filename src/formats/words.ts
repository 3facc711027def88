import { cutHead, isRecord, type JsonSchema, listTypes, readList, readRecord } from "../base/index.ts";

// A description is read at every request: what does not fit is worth less than its place.
const maxWords = 400;
const maxListed = 20;
const maxNested = 3;

/** What a keyword asks of a value, in words to stand in a description. Undefined for one that asks nothing. */
export function describeKeyword(keyword: string, schema: JsonSchema, depth = 0): string | undefined {
  const value = schema[keyword];
  const words = value === undefined ? undefined : phrases[keyword]?.(value as never, schema, depth);
  return words === undefined || words === "" ? undefined : shorten(words);
}

/** The value a schema asks for, as a noun: `an integer (at least 1)`. */
export function splitWords(schema: unknown, depth = 0): string {
  if (schema === false) return "nothing";
  if (!isRecord(schema) || depth > maxNested) return "any value";
  const noun = describeNoun(schema, depth);
  const limits = Object.keys(schema).flatMap((keyword) =>
    inNoun.has(keyword) ? [] : (describeKeyword(keyword, schema, depth + 1) ?? []),
  );
  return shorten(limits.length === 0 ? noun : `${noun} (${limits.join("; ")})`);
}

const inNoun = new Set([
  "type",
  "enum",
  "const",
  "properties",
  "required",
  "items",
  "anyOf",
  "oneOf",
  "prefixItems",
  "default",
  "examples",
]);

function describeNoun(schema: JsonSchema, depth: number): string {
  if ("const" in schema) return toJson(schema["const"]);
  if (Array.isArray(schema["enum"])) return describeEnum(schema["enum"]);
  const branches = [...readList(schema, "anyOf"), ...readList(schema, "oneOf")];
  if (branches.length > 0)
    return branches
      .slice(0, 6)
      .map((branch) => splitWords(branch, depth + 1))
      .join(", or ");
  const names = Object.keys(readRecord(schema, "properties"));
  const required = readList(schema, "required");
  const types = listTypes(schema) ?? [];
  if (names.length > 0 || (required.length > 0 && types.length === 0)) {
    return `an object with ${describeKeys(schema, depth)}`;
  }
  if (isRecord(schema["items"])) return `an array of ${splitWords(schema["items"], depth + 1)}`;
  return types.length === 0 ? "any value" : types.map((type) => nouns[type] ?? type).join(" or ");
}

const nouns: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "a boolean",
  object: "an object",
  array: "an array",
  null: "null",
};

/** The keys of an object, those that may be left out with a question mark. */
function describeKeys(schema: JsonSchema, depth = 0): string {
  const properties = readRecord(schema, "properties");
  const required = readList(schema, "required") as string[];
  const names = [...new Set([...required, ...Object.keys(properties)])];
  const listed = names.slice(0, maxListed).map((name) => {
    const mark = required.includes(name) ? "" : "?";
    const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const words = part === undefined || depth >= maxNested ? "" : ` ${splitWords(part, depth + 1)}`;
    return `"${name}"${mark}${words === " any value" ? "" : words}`;
  });
  return names.length > maxListed ? `${listed.join(", ")} …` : listed.join(", ");
}

export function describeEnum(values: readonly unknown[]): string {
  const listed = values.slice(0, maxListed).map(toJson).join(", ");
  if (values.length === 1) return listed;
  return `one of ${listed}${values.length > maxListed ? ` … (${values.length} values)` : ""}`;
}

type Phrase = (value: never, schema: JsonSchema, depth: number) => string | undefined;

const phrases: Readonly<Record<string, Phrase>> = {
  enum: (values: unknown[]) => describeEnum(values),
  const: (value: unknown) => toJson(value),
  minLength: (length: number) => `at least ${count(length, "character")}`,
  maxLength: (length: number) => `at most ${count(length, "character")}`,
  pattern: (pattern: string) => `matches ${pattern}`,
  format: (format: string) => `format: ${format}`,
  contentEncoding: (encoding: string) => `encoding: ${encoding}`,
  contentMediaType: (type: string) => `media type: ${type}`,
  minimum: (least: number) => `at least ${least}`,
  maximum: (most: number) => `at most ${most}`,
  exclusiveMinimum: (least: number) => `greater than ${least}`,
  exclusiveMaximum: (most: number) => `less than ${most}`,
  multipleOf: (divisor: number) => `a multiple of ${divisor}`,
  minItems: (least: number) => `at least ${count(least, "item")}`,
  maxItems: (most: number) => `at most ${count(most, "item")}`,
  uniqueItems: (unique: boolean) => (unique ? "no item twice" : undefined),
  prefixItems: (items: unknown[], _, depth) =>
    `in order: ${items.map((item) => splitWords(item, depth + 1)).join(", ")}`,
  contains: (item: unknown, { minContains = 1, maxContains }, depth) => {
    const most = maxContains === undefined ? "or more" : `to ${toJson(maxContains)}`;
    return `${toJson(minContains)} ${most} of the items: ${splitWords(item, depth + 1)}`;
  },
  minProperties: (least: number) => `at least ${count(least, "key")}`,
  maxProperties: (most: number) => `at most ${count(most, "key")}`,
  propertyNames: (name: unknown, _, depth) => `each key is ${splitWords(name, depth + 1)}`,
  patternProperties: (parts: Record<string, unknown>, _, depth) =>
    Object.entries(parts)
      .map(([pattern, part]) => `keys matching ${pattern}: ${splitWords(part, depth + 1)}`)
      .join("; "),
  additionalProperties: (part: unknown, { properties }, depth) => {
    if (part === false) return undefined;
    const which = isRecord(properties) && Object.keys(properties).length > 0 ? "other keys" : "each value";
    return part === true
      ? `${which === "other keys" ? which : "any keys"} may be given`
      : `${which}: ${splitWords(part, depth + 1)}`;
  },
  dependentRequired: (needs: Record<string, string[]>) =>
    Object.entries(needs)
      .map(([key, others]) => `"${key}" needs ${others.map((other) => `"${other}"`).join(" and ")} too`)
      .join("; "),
  dependentSchemas: (parts: Record<string, unknown>, _, depth) =>
    Object.entries(parts)
      .map(([key, part]) => `with "${key}" it must be ${splitWords(part, depth + 1)}`)
      .join("; "),
  not: (part: unknown, _, depth) =>
    isEverything(part) ? "nothing is accepted" : `not ${splitWords(part, depth + 1)}`,
  if: (condition: unknown, { then, else: otherwise }, depth) =>
    describeCondition(condition, then, otherwise, depth),
  allOf: (parts: unknown[], _, depth) => parts.map((part) => `and ${splitWords(part, depth + 1)}`).join("; "),
  oneOf: (parts: unknown[], _, depth) =>
    `and exactly one of: ${parts.map((part) => splitWords(part, depth + 1)).join("; or ")}`,
  default: (value: unknown) => `default: ${toJson(value)}`,
  examples: (values: unknown) =>
    Array.isArray(values) ? `for example ${values.slice(0, 3).map(toJson).join(", ")}` : undefined,
  deprecated: (is: boolean) => (is ? "deprecated" : undefined),
};

function describeCondition(
  condition: unknown,
  then: unknown,
  otherwise: unknown,
  depth: number,
): string | undefined {
  const met = then === undefined ? "" : ` it must be ${splitWords(then, depth + 1)}`;
  const unmet = otherwise === undefined ? "" : ` otherwise ${splitWords(otherwise, depth + 1)}`;
  return met + unmet === ""
    ? undefined
    : `if it is ${splitWords(condition, depth + 1)},${[met, unmet].filter(Boolean).join(",")}`;
}

function isEverything(schema: unknown): boolean {
  return schema === true || (isRecord(schema) && Object.keys(schema).length === 0);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function toJson(value: unknown): string {
  return shorten(JSON.stringify(value) ?? "", 100);
}

export function shorten(text: string, length: number = maxWords): string {
  return text.length <= length ? text : `${cutHead(text, length - 1)}…`;
}
