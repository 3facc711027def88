import type { JsonSchema } from "../../base/index.ts";
import {
  cutHead,
  fitsShape,
  followRef,
  isOfType,
  isRecord,
  isSameJson,
  listTypes,
  parseJson,
  readAt,
  readList,
} from "../../base/index.ts";
import type { ValidationIssue } from "../tool/schema.ts";
import { subschemaAt } from "./validation.ts";

/** Arguments that were put right, with one note for each thing that was changed. */
export interface Repaired {
  readonly params: unknown;
  readonly notes: readonly string[];
}

export interface RepairOptions {
  /** Whether a number is taken for a text parameter. @default false */
  readonly numbersAsText?: boolean;
}

// Arguments with more slips than this were not meant for this tool.
const maxRepairs = 16;
const maxJsonChars = 1_000_000;

/**
 * Puts right what a model said in the wrong form only: JSON, a number or a boolean given as text, the case of a
 * constant, null for an optional property. Where two readings are possible there is none. Undefined if nothing
 * could be done; the outcome must be validated again. The given arguments are not changed.
 */
export function repairArguments(
  params: unknown,
  issues: readonly ValidationIssue[],
  schema: JsonSchema,
  { numbersAsText = false }: RepairOptions = {},
): Repaired | undefined {
  const notes: string[] = [];
  let repaired = params;
  for (const { path } of issues) {
    if (notes.length === maxRepairs) break;
    const repair = findRepair(repaired, path, schema, numbersAsText);
    if (repair === undefined) continue;
    repaired = repair.omit === true ? without(repaired, path) : withValue(repaired, path, repair.value);
    notes.push(`${path.length === 0 ? "arguments" : path.join(".")}: ${repair.note}`);
  }
  return notes.length === 0 ? undefined : { params: repaired, notes };
}

interface Repair {
  readonly value?: unknown;
  readonly omit?: true;
  readonly note: string;
}

function findRepair(
  params: unknown,
  path: Path,
  schema: JsonSchema,
  numbersAsText: boolean,
): Repair | undefined {
  const value = readAt(params, path);
  const part = subschemaAt(schema, path);
  if (!isRecord(part) || value === undefined || fitsShape(value, part, schema)) return undefined;
  if (value === null) return isOptional(path, schema) ? { omit: true, note: "left out null" } : undefined;
  if (numbersAsText && typeof value === "number") return readNumberAsText(value, part, schema);
  if (typeof value !== "string") return undefined;
  const text: Text = { text: value, parsed: value.length <= maxJsonChars ? parseJson(value) : undefined };
  const readings: Repair[] = [];
  for (const option of listOptions(part, schema)) {
    for (const repair of readAs(text, option)) {
      const isNew = readings.every((other) => !isSameJson(other.value, repair.value));
      if (isNew && fitsShape(repair.value, part, schema)) readings.push(repair);
    }
  }
  return readings.length === 1 ? readings[0] : undefined;
}

interface Text {
  readonly text: string;
  /** What it says as JSON; undefined where it is none. */
  readonly parsed: unknown;
}

type Path = ValidationIssue["path"];

function isOptional(path: Path, schema: JsonSchema): boolean {
  const key = path.at(-1);
  const parent = subschemaAt(schema, path.slice(0, -1));
  return typeof key === "string" && isRecord(parent) && !readList(parent, "required").includes(key);
}

/** The schema, or for a union its alternatives. */
function listOptions(part: JsonSchema, root: JsonSchema): readonly JsonSchema[] {
  const branches = [...readList(part, "anyOf"), ...readList(part, "oneOf")].map((branch) =>
    followRef(branch, root),
  );
  return [part, ...branches.filter(isRecord)];
}

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function* readAs({ text, parsed }: Text, schema: JsonSchema): Generator<Repair> {
  const types = listTypes(schema) ?? [];
  const shown = JSON.stringify(text.length > 40 ? `${cutHead(text, 39)}…` : text);
  if (typeof parsed === "object" && parsed !== null && isOfType(parsed, types)) {
    yield {
      value: parsed,
      note: `read the JSON text as ${Array.isArray(parsed) ? "an array" : "an object"}`,
    };
  }
  if ((types.includes("number") || types.includes("integer")) && numberForm.test(text)) {
    const value = Number(text);
    const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    if (isExact && isOfType(value, types))
      yield { value, note: `read the text ${shown} as the number ${value}` };
  }
  if (types.includes("boolean") && (text === "true" || text === "false")) {
    yield { value: text === "true", note: `read the text ${shown} as the boolean ${text}` };
  }
  const constants = "const" in schema ? [schema["const"]] : readList(schema, "enum");
  for (const value of constants) {
    if (typeof value === "string" && value.toLowerCase() === text.toLowerCase()) {
      yield { value, note: `read ${shown} as ${JSON.stringify(value)}` };
    }
  }
}

/** Converts a number to text, as models write an all-digit branch, version or phone number as a number. */
function readNumberAsText(value: number, part: JsonSchema, root: JsonSchema): Repair | undefined {
  const text = String(value);
  if (!listOptions(part, root).some((option) => listTypes(option)?.includes("string"))) return undefined;
  return fitsShape(text, part, root) ? { value: text, note: `read the number ${text} as text` } : undefined;
}

function withValue(whole: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(whole)) return whole.with(Number(key), withValue(whole[Number(key)], rest, value));
  const record = whole as Readonly<Record<string, unknown>>;
  return { ...record, [key]: withValue(record[key], rest, value) };
}

function without(whole: unknown, path: Path): unknown {
  const parent = path.slice(0, -1);
  const { [path.at(-1) as string]: _, ...rest } = readAt(whole, parent) as Record<string, unknown>;
  return withValue(whole, parent, rest);
}
