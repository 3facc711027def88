/** Where a schema holds other schemas. */
export const schemaKeywords: readonly string[] = [
  "items",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "contains",
  "contentSchema",
  "not",
  "if",
  "then",
  "else",
];
export const listKeywords: readonly string[] = ["prefixItems", "allOf", "anyOf", "oneOf"];
export const mapKeywords: readonly string[] = ["properties", "patternProperties", "dependentSchemas"];

/** What says something about a value without limiting it. */
export const annotationKeywords: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);
