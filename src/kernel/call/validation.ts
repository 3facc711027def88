import type { JsonSchema } from "../../base/index.ts";
import {
  cutHead,
  followRef,
  isRecord,
  nearestNames,
  readAt,
  readList,
  readRecord,
  typeName,
} from "../../base/index.ts";
import type { ValidationIssue } from "../tool/schema.ts";

// What a reader mends at once, and can still see at a glance.
const maxIssues = 5;
const maxReceivedChars = 80;
const maxSchemaChars = 300;
const maxKeys = 20;

/**
 * One message about invalid arguments for whoever gave them: for each of the first 5 issues its path, what is
 * expected, what was received, and what else the schema says of that value. No fact stands in it twice.
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

/** A sentence about arguments, ended with a colon, and the issues: a single one on its line, several below it. */
export function appendIssues(sentence: string, ...issues: Parameters<typeof describeIssues>): string {
  const text = describeIssues(...issues);
  return text.startsWith("\n") ? `${sentence}${text}` : `${sentence} ${text}`;
}

function describeIssue(issue: ValidationIssue, params: unknown, schema: JsonSchema): string {
  const unknown = findUnknownKeys(issue, params, schema);
  if (unknown !== undefined) return describeUnknown(unknown);
  const { path } = issue;
  const value = readAt(params, path);
  const part = subschemaAt(schema, path);
  const message = shortenMessage(issue.message, value, isRecord(part) ? part : {});
  const rest = isRecord(part) ? withoutSaid(part, message ?? "", value) : {};
  const facts = [
    ...(message === undefined ? [] : [message]),
    ...(value === undefined ? [] : [`received ${showReceived(value)}`]),
    ...describeExpected(rest),
  ];
  return `${formatPath(path)}: ${facts.join("; ")}`;
}

/** What a schema says beyond the message: as JSON, or in its own words where it has only words to say. */
function describeExpected(rest: JsonSchema): readonly string[] {
  if (!Object.keys(rest).every((key) => prose.has(key))) return [`expected ${showSchema(rest)}`];
  const { description } = rest;
  return typeof description === "string" ? [shorten(description, maxSchemaChars)] : [];
}

/** What validators put before their message about a type, and what they say after it of the value. */
const beforeMessage = /^invalid (?:input|type): /i;
const afterMessage = /(?:,| but) received .*$| \(was .*\)$/is;

/** The validator's message without the value, which is shown beside it; undefined: the schema says the same. */
function shortenMessage(message: string, value: unknown, part: JsonSchema): string | undefined {
  const short = message.replace(beforeMessage, "").replace(afterMessage, "");
  const isOfType = short !== message && /^expected /i.test(short);
  if (!isOfType) return short;
  if (value === undefined) return "is required";
  return "type" in part ? undefined : short;
}

/** `part` without the keywords whose values the message names, and without a type that the value has. */
function withoutSaid(part: JsonSchema, message: string, value: unknown): JsonSchema {
  const words = new Set(message.split(/[^\w.-]+/));
  const isSaid = ([key, wanted]: [string, unknown]) =>
    limits.has(key)
      ? words.has(String(wanted)) || (typeof wanted === "string" && message.includes(wanted))
      : (key === "enum" || key === "const") && [wanted].flat().every((one) => message.includes(toJson(one)));
  const rest = Object.entries(part).filter((entry) => !isSaid(entry));
  const isTypeAlone = rest.every(([key]) => key === "type") && rest.length > 0;
  const typeIsKnown =
    isTypeAlone &&
    (words.has(String(part["type"])) || (rest.length < Object.keys(part).length && value !== undefined));
  return typeIsKnown ? {} : Object.fromEntries(rest);
}

const limits = new Set(
  ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format"].concat(
    ["Length", "Items", "Properties"].flatMap((what) => [`min${what}`, `max${what}`]),
  ),
);

function formatPath(path: ValidationIssue["path"]): string {
  return path.length === 0 ? "arguments" : cutHead(path.join("."), 200);
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
  return text.length <= length ? text : `${cutHead(text, length - 1)}…`;
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
    if (allowed !== undefined && !allowed.includes(last) && readAt(params, path) !== undefined) {
      return { keys: [last], parent, allowed };
    }
  }
  const value = readAt(params, path);
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
  const others = allowed.filter((key) => !near.includes(key));
  const rest = others.length > maxKeys ? `, … (${others.length - maxKeys} more)` : "";
  const list = others.length === 0 ? "none" : `${others.slice(0, maxKeys).join(", ")}${rest}`;
  const names = keys.map((key) => formatPath([...parent, key])).join(", ");
  const alternatives =
    near.length === 0 ? `; allowed: ${list}` : others.length === 0 ? "" : `; others: ${list}`;
  return `${names}: ${keys.length === 1 ? "is not a known parameter" : "are not known parameters"}${hint}${alternatives}`;
}

/** The keys of an object that takes no others; undefined where it does, or is no object. */
function allowedKeys(schema: JsonSchema, path: ValidationIssue["path"]): readonly string[] | undefined {
  const found = subschemaAt(schema, path);
  if (!isRecord(found) || "patternProperties" in found) return undefined;
  const closed = found["additionalProperties"] === false || found["unevaluatedProperties"] === false;
  if (!closed) return undefined;
  const branches = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => readList(found, keyword));
  const own = [found, ...branches.map((branch) => followRef(branch, schema)).filter(isRecord)];
  return [...new Set(own.flatMap((part) => Object.keys(readRecord(part, "properties"))))];
}

/**
 * The part of a schema that governs the value at `path`: through properties, items, local references and, for a
 * union, the first alternative that has such a part. Undefined where none says anything of it.
 */
export function subschemaAt(
  schema: JsonSchema,
  path: ValidationIssue["path"],
): JsonSchema | boolean | undefined {
  let found: JsonSchema | boolean | undefined = followRef(schema, schema);
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
    const step = followRef(stepInto(part, key), root);
    if (step !== undefined && step !== false) return step;
    const branches = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => readList(part as JsonSchema, keyword));
    pending.push(...branches.map((branch) => followRef(branch, root)).filter(isRecord));
  }
  return undefined;
}

function stepInto(schema: JsonSchema, key: string | number): unknown {
  const properties = readRecord(schema, "properties");
  if (Object.hasOwn(properties, key)) return properties[key];
  const { items } = schema;
  if (typeof key === "number" || /^\d+$/.test(key)) {
    const first = Array.isArray(items) ? items : readList(schema, "prefixItems");
    const item: unknown = first[Number(key)] ?? (Array.isArray(items) ? schema["additionalItems"] : items);
    if (item !== undefined) return item;
  }
  return schema["additionalProperties"];
}
