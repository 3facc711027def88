import { cutHead, isRecord, type JsonSchema } from "../base/index.ts";

/** What a keyword's value must be. `one`, `list` and `map` hold schemas. */
type KeywordKind =
  | "one"
  | "list"
  | "map"
  | "types"
  | "strings"
  | "needs"
  | "number"
  | "text"
  | "flag"
  | "any";

const keywordsOfKind: Readonly<Record<KeywordKind, readonly string[]>> = {
  one: (
    "items additionalProperties unevaluatedProperties unevaluatedItems propertyNames contains contentSchema " +
    "not if then else"
  ).split(" "),
  list: ["prefixItems", "allOf", "anyOf", "oneOf"],
  map: ["properties", "patternProperties", "dependentSchemas"],
  types: ["type"],
  strings: ["required"],
  needs: ["dependentRequired"],
  number: (
    "minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties " +
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"
  ).split(" "),
  text: ["pattern", "format", "contentEncoding", "contentMediaType", "title", "description"],
  flag: ["uniqueItems", "deprecated"],
  any: ["const", "default", "enum", "examples"],
};

const kindOfKeyword: ReadonlyMap<string, KeywordKind> = new Map(
  (Object.keys(keywordsOfKind) as KeywordKind[]).flatMap((kind) =>
    keywordsOfKind[kind].map((keyword): [string, KeywordKind] => [keyword, kind]),
  ),
);

const isKind: Readonly<Record<KeywordKind, (value: unknown) => boolean>> = {
  one: isSchema,
  list: (value) => Array.isArray(value) && value.every(isSchema),
  map: (value) => isRecord(value) && Object.values(value).every(isSchema),
  types: (value) => typeof value === "string" || areStrings(value),
  strings: areStrings,
  needs: (value) => isRecord(value) && Object.values(value).every(areStrings),
  number: (value) => typeof value === "number",
  text: (value) => typeof value === "string",
  flag: (value) => typeof value === "boolean",
  any: () => true,
};

function isSchema(value: unknown): boolean {
  return typeof value === "boolean" || isRecord(value);
}

function areStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/**
 * The kind of a keyword whose meaning is kept; undefined for a remark to other readers.
 *
 * @throws {TypeError} if its value is of another kind.
 */
export function findKeywordKind(keyword: string, value: unknown): KeywordKind | undefined {
  const kind = kindOfKeyword.get(keyword);
  if (kind === undefined || isKind[kind](value)) return kind;
  throw new TypeError(`Cannot read the schema: its "${keyword}" is ${cutHead(JSON.stringify(value), 60)}`);
}

/** What says something about a value without limiting it. */
export const annotationKeywords: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
]);

export function onlyRemarks(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => annotationKeywords.has(keyword)));
}

export function withoutRemarks(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !annotationKeywords.has(keyword)));
}
