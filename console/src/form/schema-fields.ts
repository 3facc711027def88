import {
  fitsShape,
  followRef,
  isRecord,
  type JsonSchema,
  listTypes,
  readList,
  readRecord,
  typeName,
} from "../../../src/base/index.ts";

/** What a form shows for one place of a value, by the schema of that place. */
export type Field =
  | { readonly kind: "text" | "boolean" | "null" | "any" }
  | { readonly kind: "number"; readonly whole: boolean }
  | { readonly kind: "choice"; readonly values: readonly unknown[] }
  | {
      readonly kind: "object";
      readonly properties: readonly Property[];
      /** The schema of keys that have no name in the schema; undefined where there must be none. */
      readonly others: unknown;
    }
  | {
      readonly kind: "list";
      /** Schemas of the first items, one each. */
      readonly first: readonly unknown[];
      /** The schema of the items after those; undefined where there must be none. */
      readonly items: unknown;
    }
  | { readonly kind: "alternatives"; readonly branches: readonly Branch[] };

export interface Property {
  readonly name: string;
  readonly schema: unknown;
  readonly required: boolean;
}

/** One of several schemas that a value may have. */
export interface Branch {
  readonly label: string;
  readonly schema: JsonSchema;
}

/** References within references, and parts of parts, are followed so far. */
const mostSteps = 8;

/** The schema with its `$ref` and `allOf` put into it. One that says nothing is empty. */
export function resolveSchema(schema: unknown, root: JsonSchema, steps = 0): JsonSchema {
  const followed = followRef(schema, root);
  if (!isRecord(followed)) return {};
  const { $ref: _, ...beside } = isRecord(schema) ? schema : {};
  const { allOf: parts, ...rest } = merge(followed, beside);
  if (!Array.isArray(parts) || steps >= mostSteps) return rest;
  return parts.reduce<JsonSchema>((sum, part) => merge(sum, resolveSchema(part, root, steps + 1)), rest);
}

function merge(one: JsonSchema, other: JsonSchema): JsonSchema {
  const both = { ...one, ...other };
  return {
    ...both,
    ...("properties" in both && {
      properties: { ...readRecord(one, "properties"), ...readRecord(other, "properties") },
    }),
    ...("required" in both && {
      required: [...new Set([...readList(one, "required"), ...readList(other, "required")])],
    }),
  };
}

/** What a form shows for a schema that was resolved. */
export function toField(schema: JsonSchema, root: JsonSchema): Field {
  if ("const" in schema) return { kind: "choice", values: [schema["const"]] };
  if (Array.isArray(schema["enum"])) return { kind: "choice", values: schema["enum"] };
  const branches = listBranches(schema, root);
  if (branches.length > 0) return { kind: "alternatives", branches };
  const type = listTypes(schema)?.[0] ?? guessType(schema);
  if (type === "object") return toObject(schema);
  if (type === "array") return toList(schema);
  return plainFields.get(type ?? "") ?? { kind: "any" };
}

const plainFields: ReadonlyMap<string, Field> = new Map<string, Field>([
  ["string", { kind: "text" }],
  ["integer", { kind: "number", whole: true }],
  ["number", { kind: "number", whole: false }],
  ["boolean", { kind: "boolean" }],
  ["null", { kind: "null" }],
]);

function guessType(schema: JsonSchema): string | undefined {
  if ("properties" in schema || "additionalProperties" in schema || "patternProperties" in schema)
    return "object";
  return "items" in schema || "prefixItems" in schema ? "array" : undefined;
}

function toObject(schema: JsonSchema): Field {
  const required = readList(schema, "required");
  const named = Object.entries(readRecord(schema, "properties")).filter(([, part]) => part !== false);
  const names = new Set(named.map(([name]) => name));
  const properties = [
    ...named.map(([name, part]) => ({ name, schema: part, required: required.includes(name) })),
    // A key that is required and described nowhere.
    ...required.flatMap((name) =>
      typeof name === "string" && !names.has(name) ? [{ name, schema: true, required: true }] : [],
    ),
  ];
  const [pattern] = Object.values(readRecord(schema, "patternProperties"));
  const additional = schema["additionalProperties"];
  // A schema that names its keys and says nothing of others means those: a form does not offer more.
  const others = additional === undefined && properties.length > 0 ? undefined : (additional ?? true);
  return { kind: "object", properties, others: pattern ?? (others === false ? undefined : others) };
}

function toList(schema: JsonSchema): Field {
  const first = readList(schema, "prefixItems");
  const items = schema["items"];
  if (Array.isArray(items)) return { kind: "list", first: items, items: undefined };
  const after = items ?? (first.length > 0 ? undefined : true);
  return { kind: "list", first, items: after === false ? undefined : after };
}

function listBranches(schema: JsonSchema, root: JsonSchema): readonly Branch[] {
  const { oneOf, anyOf, ...rest } = schema;
  const parts = [oneOf, anyOf].find((list) => Array.isArray(list) && list.length > 0);
  if (Array.isArray(parts)) {
    const { title: _, description: _said, default: _value, ...shared } = rest;
    const schemas = parts.map((part) => merge(shared, resolveSchema(part, root)));
    return schemas.map((branch, at) => ({ label: nameBranch(branch, at, rest), schema: branch }));
  }
  const types = listTypes(schema) ?? [];
  if (types.length < 2) return [];
  const { nullable: _, ...plain } = schema;
  return types.map((type) => ({ label: type, schema: { ...plain, type } }));
}

/** A name that tells a branch from the others: its title, a key with one value, the keys only it requires, its type. */
function nameBranch(branch: JsonSchema, at: number, shared: JsonSchema): string {
  if (typeof branch["title"] === "string" && branch["title"] !== "") return branch["title"];
  if ("const" in branch) return JSON.stringify(branch["const"]);
  for (const [name, part] of Object.entries(readRecord(branch, "properties"))) {
    if (!isRecord(part)) continue;
    const list = readList(part, "enum");
    if ("const" in part) return `${name}: ${JSON.stringify(part["const"])}`;
    if (list.length === 1) return `${name}: ${JSON.stringify(list[0])}`;
  }
  const own = readList(branch, "required").filter((name) => !readList(shared, "required").includes(name));
  if (own.length > 0) return `with ${own.join(", ")}`;
  return listTypes(branch)?.join(" or ") ?? guessType(branch) ?? `choice ${at + 1}`;
}

/** The first branch that a value fits; the one that was chosen, while it fits that. */
export function findBranch(
  branches: readonly Branch[],
  value: unknown,
  root: JsonSchema,
  chosen: Branch["label"] | undefined,
): Branch | undefined {
  const fitting = branches.filter(({ schema }) => fitsShape(value, schema, root));
  return fitting.find(({ label }) => label === chosen) ?? fitting[0];
}

/** A value to begin with: what the schema has by default, or as little as fits it. */
export function startValue(schema: unknown, root: JsonSchema, steps = 0): unknown {
  const resolved = resolveSchema(schema, root);
  if ("default" in resolved) return resolved["default"];
  const field = toField(resolved, root);
  switch (field.kind) {
    case "text":
      return "";
    case "number":
      return startNumber(resolved);
    case "boolean":
      return false;
    case "choice":
      return field.values[0] ?? null;
    case "alternatives":
      return steps >= mostSteps ? null : startValue(field.branches[0]?.schema, root, steps + 1);
    case "list":
      return startList(resolved, field, root, steps);
    case "object":
      if (steps >= mostSteps) return {};
      return Object.fromEntries(
        field.properties
          .filter(({ required }) => required)
          .map(({ name, schema: part }) => [name, startValue(part, root, steps + 1)]),
      );
    case "any":
    case "null":
      return null;
  }
}

function startNumber({ minimum, exclusiveMinimum, maximum }: JsonSchema): number {
  if (typeof minimum === "number" && minimum > 0) return Math.ceil(minimum);
  if (typeof exclusiveMinimum === "number" && exclusiveMinimum >= 0) return Math.floor(exclusiveMinimum) + 1;
  return typeof maximum === "number" && maximum < 0 ? Math.floor(maximum) : 0;
}

function startList(
  { minItems }: JsonSchema,
  { first, items }: Extract<Field, { kind: "list" }>,
  root: JsonSchema,
  steps: number,
): readonly unknown[] {
  if (steps >= mostSteps) return [];
  const least = typeof minItems === "number" ? Math.min(minItems, 20) : 0;
  return Array.from({ length: Math.max(first.length, least) }, (_, at) =>
    startValue(at < first.length ? first[at] : items, root, steps + 1),
  );
}

/** The type of a place, in a word or a few. */
export function describeType(schema: JsonSchema, root: JsonSchema): string {
  const field = toField(schema, root);
  switch (field.kind) {
    case "choice":
      return field.values.length === 1 ? typeName(field.values[0]) : "one of";
    case "number":
      return field.whole ? "integer" : "number";
    case "text":
      return typeof schema["format"] === "string" ? schema["format"] : "string";
    case "alternatives":
      return listTypes(schema)?.join(" or ") ?? "one of";
    case "object":
      return field.properties.length === 0 ? "map" : "object";
    case "any":
    case "boolean":
    case "list":
    case "null":
      return field.kind;
  }
}

/** The object with this key as it is to be, in its place; undefined takes the key away. */
export function withKey(
  value: Readonly<Record<string, unknown>>,
  name: string,
  part: unknown,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(value);
  if (part === undefined) return Object.fromEntries(entries.filter(([key]) => key !== name));
  if (!Object.hasOwn(value, name)) return Object.fromEntries([...entries, [name, part]]);
  return Object.fromEntries(entries.map(([key, old]) => [key, key === name ? part : old]));
}

/** The object with one key called otherwise, in its place. The same if there is such a key. */
export function renameKey(
  value: Readonly<Record<string, unknown>>,
  from: string,
  to: string,
): Readonly<Record<string, unknown>> {
  if (from === to || Object.hasOwn(value, to)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key === from ? to : key, part]));
}

/** JSON as it was read, or where it is no JSON. */
export type ReadJson =
  | { readonly value: unknown }
  | { readonly message: string; readonly line: number; readonly column: number; readonly at: number };

/** Reads JSON, and says where it is none. */
export function readJson(text: string): ReadJson {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    const place = /position (\d+)/.exec(message)?.[1];
    // A text that ends too early is wrong at its end.
    const at = place === undefined ? text.length : Number(place);
    const before = text.slice(0, at).split("\n");
    return {
      message: message.replace(/ in JSON at position.*$| \(line .*$/s, ""),
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
      at,
    };
  }
}
