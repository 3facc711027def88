import type { JsonSchema, Trust, Validation } from "../../../kernel/index.ts";
import { compileJsonSchema } from "../../../schema/index.ts";
import { entryLimits } from "../store/entry-limits.ts";
import {
  type MemoryAuthor,
  memoryPermissions,
  memoryTiers,
  type NewMemoryEntry,
} from "../store/memory-entry.ts";
import { badLine } from "./errors.ts";

type Time = number | string;

/** What haft exports. */
export interface EntryLine extends Omit<NewMemoryEntry, "at" | "validFrom" | "validTo"> {
  readonly id?: string;
  readonly scope?: string;
  readonly trust?: Trust;
  readonly author?: MemoryAuthor;
  readonly at?: Time;
  readonly validFrom?: Time;
  readonly validTo?: Time;
  readonly createdAt?: Time;
  readonly changedAt?: Time;
  readonly deletedAt?: Time;
}

/** The plain form of data sets: a text, and perhaps an id, who said it, and when. */
export interface PlainLine {
  readonly id?: string | number;
  readonly scope?: string;
  readonly text: string;
  readonly time?: Time | null;
  readonly speaker?: string | null;
  readonly session?: string | null;
  readonly tags?: readonly string[] | null;
}

/** What `@modelcontextprotocol/server-memory` keeps. */
export interface EntityLine {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

export interface RelationLine {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

const text: JsonSchema = { type: "string", maxLength: entryLimits.text };
/** On one line, as memory keeps it. */
const makeLineSchema = (maxLength: number): JsonSchema => ({
  type: "string",
  minLength: 1,
  maxLength,
  pattern: "^\\P{Cc}+$",
});
const word = makeLineSchema(200);
const words: JsonSchema = { type: "array", maxItems: 100, items: word };
const time: JsonSchema = { type: ["integer", "string"] };
const id: JsonSchema = { type: "string", minLength: 1, maxLength: 2000 };
const name: JsonSchema = { type: "string", minLength: 1, maxLength: 100_000 };
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });

const entrySchema: JsonSchema = {
  type: "object",
  required: ["kind", "text"],
  properties: {
    id,
    scope: { type: "string" },
    kind: makeLineSchema(50),
    text,
    label: word,
    tier: { enum: memoryTiers },
    title: makeLineSchema(300),
    names: words,
    category: word,
    tags: words,
    permission: { enum: memoryPermissions },
    pinned: { type: "boolean" },
    trust: { enum: ["trusted", "untrusted"] },
    place: {
      type: "object",
      required: ["session"],
      properties: { session: id, position: { type: "integer" }, speaker: word, role: word, channel: word },
    },
    at: time,
    validFrom: time,
    validTo: time,
    supersededBy: id,
    author: { type: "object", required: ["by"], properties: { by: name } },
    createdAt: time,
    changedAt: time,
    deletedAt: time,
  },
};

const plainSchema: JsonSchema = {
  type: "object",
  required: ["text"],
  properties: {
    id: { anyOf: [id, { type: "number" }] },
    scope: makeLineSchema(190),
    text,
    time: { type: ["integer", "string", "null"] },
    speaker: orNull(word),
    session: orNull(id),
    tags: orNull(words),
  },
};

const entitySchema: JsonSchema = {
  type: "object",
  required: ["name", "entityType", "observations"],
  properties: { name, entityType: { type: "string" }, observations: { type: "array", items: text } },
};

const relationSchema: JsonSchema = {
  type: "object",
  required: ["from", "to", "relationType"],
  properties: { from: name, to: name, relationType: name },
};

export const readEntryLine: (line: number, value: unknown) => EntryLine = reader(entrySchema);
export const readPlainLine: (line: number, value: unknown) => PlainLine = reader(plainSchema);
export const readEntityLine: (line: number, value: unknown) => EntityLine = reader(entitySchema);
export const readRelationLine: (line: number, value: unknown) => RelationLine = reader(relationSchema);

/** Compiled when the first line of its form comes. */
function reader<Value>(schema: JsonSchema): (line: number, value: unknown) => Value {
  let validate: ReturnType<typeof compileJsonSchema> | undefined;
  return (line, value) => {
    validate ??= compileJsonSchema(schema);
    const checked = validate(value) as Validation;
    if (checked.valid) return value as Value;
    const [issue] = checked.issues;
    const path = issue?.path.join(".") ?? "";
    throw badLine(line, `${path === "" ? "" : `${path}: `}${issue?.message ?? "it has another form"}`);
  };
}
