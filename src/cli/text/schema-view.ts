import { isRecord, resolveLocalRef } from "../../base/index.ts";
import { type JsonSchema } from "../../kernel/index.ts";

/** One parameter, as a table shows it. */
export interface ParameterRow {
  /** Dotted; `[]` for the items of a list. */
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  /** JSON; undefined where there is none. */
  readonly default: string | undefined;
  readonly description: string;
}

/** Deeper parts of a schema are not listed: the raw definition has them. */
const maxDepth = 4;

/** The parameters that a JSON Schema describes, outermost first. References within the schema are followed. */
export function listParameters(schema: JsonSchema): ParameterRow[] {
  return listProperties(schema, schema, "", 0);
}

function listProperties(root: JsonSchema, schema: JsonSchema, prefix: string, depth: number): ParameterRow[] {
  const rows: ParameterRow[] = [];
  for (const option of listOptions(root, schema)) {
    const properties = isRecord(option["properties"]) ? option["properties"] : {};
    const required = Array.isArray(option["required"]) ? option["required"] : [];
    for (const [key, value] of Object.entries(properties)) {
      const name = prefix + key;
      if (!isRecord(value) || rows.some((row) => row.name === name)) continue;
      rows.push({ name, required: required.includes(key), ...describe(root, value) });
      if (depth < maxDepth) rows.push(...listWithin(root, value, name, depth + 1));
    }
  }
  return rows;
}

function listWithin(root: JsonSchema, schema: JsonSchema, name: string, depth: number): ParameterRow[] {
  return listOptions(root, schema).flatMap((option) => {
    if (isRecord(option["properties"])) return listProperties(root, option, `${name}.`, depth);
    const items = option["items"];
    return isRecord(items) ? listWithin(root, items, `${name}[]`, depth) : [];
  });
}

function describe(root: JsonSchema, schema: JsonSchema): Omit<ParameterRow, "name" | "required"> {
  const own = resolve(root, schema);
  const description = [schema["description"], own["description"]].find((text) => typeof text === "string");
  const fallback = schema["default"] ?? own["default"];
  return {
    type: typeText(root, schema),
    default: fallback === undefined ? undefined : JSON.stringify(fallback),
    description: typeof description === "string" ? description : "",
  };
}

/** `integer 1 to 100`, `"a" | "b"`, `list of string, at most 5`. */
function typeText(root: JsonSchema, schema: JsonSchema): string {
  const texts = listOptions(root, schema).map((option) => optionText(root, option));
  return [...new Set(texts)].join(" | ");
}

function optionText(root: JsonSchema, schema: JsonSchema): string {
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  const types = ownTypes(schema);
  if (types.length === 0) return "any";
  return types
    .map((type) => {
      if (type === "array") {
        const items = isRecord(schema["items"]) ? typeText(root, schema["items"]) : "any";
        return `list of ${items.includes(" | ") ? `(${items})` : items}${bounds(schema, "minItems", "maxItems", "")}`;
      }
      if (type === "string") return `string${bounds(schema, "minLength", "maxLength", " characters")}`;
      return `${type}${bounds(schema, "minimum", "maximum", "")}`;
    })
    .join(" | ");
}

function bounds(schema: JsonSchema, low: string, high: string, unit: string): string {
  const least = toNumber(schema[low]);
  const most = toNumber(schema[high]);
  const shown = (value: number) => value.toLocaleString("en");
  if (least === undefined && most === undefined) return "";
  if (least === undefined) return `, at most ${shown(most as number)}${unit}`;
  if (most !== undefined) return `, ${shown(least)} to ${shown(most)}${unit}`;
  return least === 1 && low !== "minimum" ? ", not empty" : `, at least ${shown(least)}${unit}`;
}

/** Zod writes the safe integers as bounds: no bound that anybody set. */
function toNumber(value: unknown): number | undefined {
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** The part of a schema that describes what lies at `path`; `{}` where it says nothing of it. */
export function schemaAt(schema: JsonSchema, path: readonly string[]): JsonSchema {
  let options = listOptions(schema, schema);
  for (const part of path) {
    options = options.flatMap((option) => {
      const properties = option["properties"];
      const found =
        isRecord(properties) && Object.hasOwn(properties, part)
          ? properties[part]
          : /^\d+$/.test(part) && isRecord(option["items"])
            ? option["items"]
            : option["additionalProperties"];
      return isRecord(found) ? listOptions(schema, found) : [];
    });
  }
  if (options.length === 0) return {};
  return { ...(options.length === 1 ? options[0] : { anyOf: options }), ...pickDefinitions(schema) };
}

function pickDefinitions(schema: JsonSchema): JsonSchema {
  return {
    ...(schema["$defs"] !== undefined && { $defs: schema["$defs"] }),
    ...(schema["definitions"] !== undefined && { definitions: schema["definitions"] }),
  };
}

/** The JSON types that a schema allows, each once; none where it does not say. */
export function listTypes(schema: JsonSchema): string[] {
  return [...new Set(listOptions(schema, schema).flatMap(ownTypes))];
}

function ownTypes(schema: JsonSchema): string[] {
  const { type } = schema as { readonly type?: unknown };
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === "string");
  const values = "const" in schema ? [schema["const"]] : Array.isArray(schema["enum"]) ? schema["enum"] : [];
  const named = new Set(values.map(typeName));
  if (named.size === 0 && isRecord(schema["properties"])) named.add("object");
  return [...named];
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** The schema itself, or the alternatives it is made of. */
function listOptions(root: JsonSchema, schema: JsonSchema, depth = 0): JsonSchema[] {
  const own = resolve(root, schema);
  const union = [own["anyOf"], own["oneOf"]].find(Array.isArray);
  if (union === undefined || depth > maxDepth) return [own];
  const alternatives = union.filter(isRecord).flatMap((option) => listOptions(root, option, depth + 1));
  return isRecord(own["properties"]) ? [own, ...alternatives] : alternatives;
}

function resolve(root: JsonSchema, schema: JsonSchema): JsonSchema {
  let found = schema;
  for (let hops = 0; hops < 8; hops++) {
    const reference = found["$ref"];
    if (typeof reference !== "string" || !reference.startsWith("#/")) return found;
    const target = resolveLocalRef(root, reference);
    if (!isRecord(target)) return found;
    found = target;
  }
  return {};
}
