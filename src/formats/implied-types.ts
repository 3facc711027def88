import { isOfType, type JsonSchema, listTypes, typeName } from "../base/index.ts";

/** The types a schema allows: as it says, or as its constants and keywords imply. Undefined: any. */
function impliedTypes(schema: JsonSchema): readonly string[] | undefined {
  const said = listTypes(schema);
  if (said !== undefined) return said;
  for (const [type, keywords] of Object.entries(keywordsOfType)) {
    if (keywords.some((keyword) => keyword in schema)) return [type];
  }
  return undefined;
}

const keywordsOfType: Readonly<Record<string, readonly string[]>> = {
  object: [
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
  ],
  array: [
    "items",
    "prefixItems",
    "contains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "unevaluatedItems",
    "minContains",
    "maxContains",
  ],
  string: [
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
  ],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
};

/** A keyword about values of other types than these. */
export function isForeign(keyword: string, types: readonly string[] | undefined): boolean {
  const type = typeOfKeyword.get(keyword);
  if (type === undefined || types === undefined) return false;
  return !types.includes(type) && !(type === "number" && types.includes("integer"));
}

const typeOfKeyword: ReadonlyMap<string, string> = new Map(
  Object.entries(keywordsOfType).flatMap(([type, keywords]) => keywords.map((keyword) => [keyword, type])),
);

export function listConstants(schema: JsonSchema): readonly unknown[] | undefined {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? (schema["enum"] as unknown[]) : undefined;
}

/** The types of a schema without union, null among them. */
export function plainTypes(schema: JsonSchema): readonly string[] | undefined {
  const types = impliedTypes(schema);
  const constants = listConstants(schema);
  if (constants === undefined || constants.length === 0) return types;
  const meant = constants.filter((value) => types === undefined || isOfType(value, types));
  const found = new Set(meant.map(typeName));
  if (found.has("number")) found.delete("integer");
  return found.size > 0 ? [...found] : types;
}
