import { headOf, isRecord, nearestNames } from "../base/index.ts";
import type { JsonSchema, ValidationIssue } from "./schema.ts";
import { follow, listOf, recordOf, typeName, valueAt } from "./shape.ts";

// What a reader mends at once, and can still see at a glance.
const maxIssues = 5;
const maxReceivedChars = 80;
const maxSchemaChars = 300;
const maxKeys = 20;

/**
 * One message about invalid arguments for whoever gave them: for each of the first 5 issues its path, what is
 * expected, what was received, and the part of the schema that failed.
 */
export function describeIssues(
  issues: readonly ValidationIssue[],
  params: unknown,
  schema: JsonSchema,
): string {
  const lines = issues.slice(0, maxIssues).map((issue) => describeIssue(issue, params, schema));
  const more = issues.length - lines.length;
  if (more > 0) lines.push(`${more} more ${more === 1 ? "fault" : "faults"}`);
  return lines.length === 1 ? (lines[0] as string) : lines.map((line) => `\n- ${line}`).join("");
}

function describeIssue(issue: ValidationIssue, params: unknown, schema: JsonSchema): string {
  const unknown = findUnknownKeys(issue, params, schema);
  if (unknown !== undefined) return describeUnknown(unknown);
  const { path, message } = issue;
  const part = subschemaAt(schema, path);
  const expected = isRecord(part) && Object.keys(part).length > 0 ? `; expected ${showSchema(part)}` : "";
  return `${nameOf(path)}: ${message}; received ${showReceived(valueAt(params, path))}${expected}`;
}

function nameOf(path: ValidationIssue["path"]): string {
  return path.length === 0 ? "arguments" : headOf(path.join("."), 200);
}

function showReceived(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return `${typeName(value)} ${shorten(toJson(value), maxReceivedChars)}`;
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "[not a JSON value]";
  }
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${headOf(text, length - 1)}…`;
}

/** The whole part where it is short; then without prose; then its outline. */
function showSchema(part: JsonSchema): string {
  const forms = [
    () => toJson(part),
    () =>
      JSON.stringify(part, (key, value: unknown) =>
        prose.has(key) && typeof value === "string" ? undefined : value,
      ),
    () => toJson(outline(part)),
  ];
  for (const form of forms) {
    const text = form();
    if (text.length <= maxSchemaChars) return text;
  }
  return shorten(toJson(outline(part)), maxSchemaChars);
}

const prose = new Set(["description", "title", "$comment", "$schema", "$defs"]);

function outline({ properties, items, ...rest }: JsonSchema): JsonSchema {
  const short = Object.entries(rest).filter(([key, value]) => !prose.has(key) && toJson(value).length <= 100);
  return {
    ...Object.fromEntries(short),
    ...(isRecord(properties) && { properties: Object.keys(properties) }),
    ...(isRecord(items) && { items: { type: items["type"] } }),
  };
}

interface UnknownKeys {
  readonly keys: readonly string[];
  readonly parent: ValidationIssue["path"];
  readonly allowed: readonly string[];
}

/** Validators name an unknown key by its own path, or by that of its object and in their message. */
function findUnknownKeys(
  issue: ValidationIssue,
  params: unknown,
  schema: JsonSchema,
): UnknownKeys | undefined {
  const { path, message } = issue;
  const last = path.at(-1);
  const parent = path.slice(0, -1);
  if (typeof last === "string") {
    const allowed = allowedKeys(schema, parent);
    if (allowed !== undefined && !allowed.includes(last) && valueAt(params, path) !== undefined) {
      return { keys: [last], parent, allowed };
    }
  }
  const value = valueAt(params, path);
  const allowed = isRecord(value) ? allowedKeys(schema, path) : undefined;
  if (allowed === undefined) return undefined;
  const keys = Object.keys(value as object).filter(
    (key) => !allowed.includes(key) && message.includes(`"${key}"`),
  );
  return keys.length > 0 ? { keys, parent: path, allowed } : undefined;
}

function describeUnknown({ keys, parent, allowed }: UnknownKeys): string {
  const near = keys.flatMap((key) => nearestNames(key, allowed, 1));
  const hint = near.length > 0 ? `; did you mean ${near.map((key) => `"${key}"`).join(" and ")}` : "";
  const ordered = [...new Set([...near, ...allowed])];
  const rest = ordered.length > maxKeys ? `, … (${ordered.length - maxKeys} more)` : "";
  const list = ordered.length === 0 ? "none" : `${ordered.slice(0, maxKeys).join(", ")}${rest}`;
  const names = keys.map((key) => nameOf([...parent, key])).join(", ");
  return `${names}: ${keys.length === 1 ? "is not a known parameter" : "are not known parameters"}${hint}; allowed: ${list}`;
}

/** The keys of an object that takes no others; undefined where it does, or is no object. */
function allowedKeys(schema: JsonSchema, path: ValidationIssue["path"]): readonly string[] | undefined {
  const found = subschemaAt(schema, path);
  if (!isRecord(found) || "patternProperties" in found) return undefined;
  const closed = found["additionalProperties"] === false || found["unevaluatedProperties"] === false;
  if (!closed) return undefined;
  const branches = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => listOf(found, keyword));
  const own = [found, ...branches.map((branch) => follow(branch, schema)).filter(isRecord)];
  return [...new Set(own.flatMap((part) => Object.keys(recordOf(part, "properties"))))];
}

/**
 * The part of a schema that governs the value at `path`: through properties, items, local references and, for a
 * union, the first alternative that has such a part. Undefined where none says anything of it.
 */
export function subschemaAt(
  schema: JsonSchema,
  path: ValidationIssue["path"],
): JsonSchema | boolean | undefined {
  let found: JsonSchema | boolean | undefined = follow(schema, schema);
  for (const key of path) {
    if (!isRecord(found)) return undefined;
    found = findStep(found, key, schema);
  }
  return found;
}

const maxBranches = 200;

function findStep(
  schema: JsonSchema,
  key: string | number,
  root: JsonSchema,
): JsonSchema | boolean | undefined {
  const pending = [schema];
  const seen = new Set<JsonSchema>();
  for (let part = pending.shift(); part !== undefined && seen.size < maxBranches; part = pending.shift()) {
    if (seen.has(part)) continue;
    seen.add(part);
    const step = follow(stepInto(part, key), root);
    if (step !== undefined && step !== false) return step;
    const branches = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => listOf(part as JsonSchema, keyword));
    pending.push(...branches.map((branch) => follow(branch, root)).filter(isRecord));
  }
  return undefined;
}

function stepInto(schema: JsonSchema, key: string | number): unknown {
  const properties = recordOf(schema, "properties");
  if (Object.hasOwn(properties, key)) return properties[key];
  const { items } = schema;
  if (typeof key === "number" || /^\d+$/.test(key)) {
    const first = Array.isArray(items) ? items : listOf(schema, "prefixItems");
    const item: unknown = first[Number(key)] ?? (Array.isArray(items) ? schema["additionalItems"] : items);
    if (item !== undefined) return item;
  }
  return schema["additionalProperties"];
}
