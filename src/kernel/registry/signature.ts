import type { JsonSchema } from "../../base/index.ts";
import { followRef, isRecord, listTypes, readList, readRecord } from "../../base/index.ts";

export interface SignatureBounds {
  /** @default 12 */
  readonly parameters?: number;
  /** Characters of one type; longer ones are told in a word. @default 60 */
  readonly type?: number;
}

/** The parameters in one line, as code would have them: `path: string, limit?: integer`. What is left out is `…`. */
export function formatSignature(
  schema: JsonSchema,
  { parameters = 12, type = 60 }: SignatureBounds = {},
): string {
  const required = new Set(readList(schema, "required"));
  const all = Object.entries(readRecord(schema, "properties"));
  const needed = all.filter(([name]) => required.has(name));
  const others = all.filter(([name]) => !required.has(name));
  const shown = [...needed, ...others].slice(0, Math.max(parameters, needed.length));
  const texts = shown.map(([name, part]) => {
    return `${name}${required.has(name) ? "" : "?"}: ${typeText(part, { root: schema, most: type })}`;
  });
  const isWhole = shown.length === all.length && alternatives.every((keyword) => !(keyword in schema));
  return (isWhole ? texts : [...texts, "…"]).join(", ");
}

/** What they ask for beside the properties is not worked out here. */
const alternatives = ["anyOf", "oneOf", "allOf", "$ref"];

interface Way {
  readonly root: JsonSchema;
  readonly most: number;
}

// Deeper parts say only that they are objects; this also ends a schema that contains itself.
const mostDepth = 3;

function typeText(part: unknown, way: Way, depth = 0): string {
  const schema = followRef(part, way.root);
  if (!isRecord(schema)) return "any";
  const text = constantsText(schema) ?? alternativesText(schema, way, depth) ?? typesText(schema, way, depth);
  return text.length <= way.most ? text : shortText(schema);
}

function constantsText(schema: JsonSchema): string | undefined {
  const values = "const" in schema ? [schema["const"]] : readList(schema, "enum");
  return values.length === 0 ? undefined : values.map((value) => JSON.stringify(value)).join(" | ");
}

function alternativesText(schema: JsonSchema, way: Way, depth: number): string | undefined {
  const branches = [...readList(schema, "anyOf"), ...readList(schema, "oneOf")];
  if (branches.length === 0 || depth >= mostDepth) return undefined;
  return Array.from(new Set(branches.map((branch) => typeText(branch, way, depth + 1)))).join(" | ");
}

function typesText(schema: JsonSchema, way: Way, depth: number): string {
  const types = listTypes(schema) ?? [];
  const texts = types.map((type) => {
    if (type === "array") return listText(schema, way, depth);
    if (type === "object") return objectText(schema, way, depth);
    return type;
  });
  return texts.length === 0 ? "any" : texts.join(" | ");
}

function listText(schema: JsonSchema, way: Way, depth: number): string {
  const items = depth >= mostDepth ? "any" : typeText(schema["items"], way, depth + 1);
  return items.includes(" | ") ? `(${items})[]` : `${items}[]`;
}

function objectText(schema: JsonSchema, way: Way, depth: number): string {
  const names = Object.entries(readRecord(schema, "properties"));
  if (names.length === 0 || depth >= mostDepth) return "object";
  const required = new Set(readList(schema, "required"));
  const parts = names.map(
    ([name, part]) => `${name}${required.has(name) ? "" : "?"}: ${typeText(part, way, depth + 1)}`,
  );
  return `{${parts.join(", ")}}`;
}

function shortText(schema: JsonSchema): string {
  const types = listTypes(schema) ?? [];
  const constants = [...readList(schema, "enum")];
  if (constants.length > 0) return `${JSON.stringify(constants[0])} | …`;
  return types.length === 0 ? "any" : types.join(" | ");
}
