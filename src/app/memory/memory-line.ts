import { z } from "zod";
import { oneLine, withoutUndefined } from "../../base/index.ts";
import {
  type MemoryAuthor,
  type MemoryEntry,
  memoryPermissions,
  memoryTiers,
  type NewMemoryEntry,
} from "../../store/index.ts";
import { badLine } from "./errors.ts";
import { type PortableEntry, toExported } from "./portable-entry.ts";
import { parseSpokenTime } from "./spoken-time.ts";
import type { TextLine } from "./text-lines.ts";

/** An entry as a line of JSON, with all that is known of it but its history. */
export function formatMemoryLine(entry: MemoryEntry): string {
  return `${JSON.stringify(toExported(entry))}\n`;
}

const text = z.string().max(1_000_000);
const word = z.string().min(1).max(200);
const words = z.array(word).max(100);
const time = z.union([z.int(), z.iso.datetime({ offset: true }).transform((iso) => Date.parse(iso))]);
const author = z.looseObject({ by: z.string().min(1).max(1000) });
const label = z.string().min(1).max(200).regex(/^\P{Cc}+$/u, "a label has no control characters");

/** What haft exports. */
export const entrySchema = z.object({
  id: z.string().min(1).max(2000).optional(),
  scope: z.string().optional(),
  kind: z.string().min(1).max(50).regex(/^\P{Cc}+$/u, "a kind has no control characters"),
  text,
  label: label.optional(),
  tier: z.enum(memoryTiers).optional(),
  title: z.string().min(1).max(300).optional(),
  names: words.optional(),
  category: word.optional(),
  tags: words.optional(),
  permission: z.enum(memoryPermissions).optional(),
  pinned: z.boolean().optional(),
  trust: z.enum(["trusted", "untrusted"]).optional(),
  place: z
    .object({
      session: z.string().min(1).max(2000),
      position: z.int().optional(),
      speaker: word.optional(),
      role: word.optional(),
      channel: word.optional(),
    })
    .optional(),
  at: time.optional(),
  validFrom: time.optional(),
  validTo: time.optional(),
  supersededBy: z.string().min(1).max(2000).optional(),
  author: author.optional(),
  createdAt: time.optional(),
  changedAt: time.optional(),
  deletedAt: time.optional(),
});

export function toPortable(line: number, fields: z.output<typeof entrySchema>): PortableEntry {
  const { id, scope, author, createdAt, changedAt, deletedAt, ...entry } = fields;
  return {
    line,
    id,
    scope,
    entry: withoutUndefined(entry) as NewMemoryEntry,
    was: withoutUndefined({ author: author as MemoryAuthor | undefined, createdAt, changedAt, deletedAt }),
    isWhole: true,
  };
}

/** The plain form of data sets: an id, a text, and perhaps who said it when. */
const plainSchema = z.object({
  id: z.union([z.string().min(1).max(2000), z.number()]).optional(),
  scope: z.string().min(1).max(190).optional(),
  text,
  time: z.union([z.string(), z.number()]).nullish(),
  speaker: word.nullish(),
  session: z.string().min(1).max(2000).nullish(),
  tags: words.nullish(),
});

/** What `@modelcontextprotocol/server-memory` keeps. */
const entitySchema = z.object({
  type: z.literal("entity"),
  name: z.string().min(1),
  entityType: z.string(),
  observations: z.array(text),
});
const relationSchema = z.object({
  type: z.literal("relation"),
  from: z.string().min(1),
  to: z.string().min(1),
  relationType: z.string().min(1),
});

/**
 * The entries of a line of JSON: of haft's own export, of a data set, or of `@modelcontextprotocol/server-memory`.
 *
 * @throws {MemoryFileFault} MEMORY_IMPORT
 */
export function parseMemoryLine({ line, text }: TextLine): readonly PortableEntry[] {
  if (text.trim() === "") return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badLine(line, "it is no JSON", { cause });
  }
  if (typeof value !== "object" || value === null) throw badLine(line, "it is no object");
  if ("type" in value && value.type === "entity") return fromEntity(line, read(line, entitySchema, value));
  if ("type" in value && value.type === "relation")
    return [fromRelation(line, read(line, relationSchema, value))];
  if ("kind" in value) return [toPortable(line, read(line, entrySchema, value))];
  return [fromPlain(line, read(line, plainSchema, value))];
}

export function read<Schema extends z.ZodType>(line: number, schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join(".") ?? "";
  throw badLine(line, `${path === "" ? "" : `${path}: `}${issue?.message ?? "it has another form"}`);
}

function fromPlain(line: number, fields: z.output<typeof plainSchema>): PortableEntry {
  const { id, scope, text, speaker, session, tags } = fields;
  const time = fields.time ?? undefined;
  const at = typeof time === "string" ? parseSpokenTime(time) : time;
  if (time !== undefined && (at === undefined || !Number.isSafeInteger(at)))
    throw badLine(line, `time: "${time}" can't be read; write it as 2026-01-31T12:00:00Z`);
  return {
    line,
    id: id === undefined ? JSON.stringify([session, time, speaker, text]) : String(id),
    scope,
    entry: {
      kind: session ? "message" : "memory",
      text,
      tags: [...(tags ?? []), ...(scope === undefined ? [] : [`scope:${oneLine(scope)}`])],
      ...(at !== undefined && { at }),
      ...(session
        ? { place: { session, ...(speaker && { speaker }) } }
        : speaker && { names: [speaker] }),
    },
    was: {},
    isWhole: false,
  };
}

function fromEntity(line: number, entity: z.output<typeof entitySchema>): readonly PortableEntry[] {
  const { name, entityType, observations } = entity;
  const said = observations.length === 0 ? [undefined] : [...new Set(observations)];
  return said.map((observation) => ({
    line,
    id: JSON.stringify(["entity", name, entityType, observation]),
    scope: graphServer,
    entry: {
      kind: "memory",
      text: observation === undefined ? `${name} (${entityType})` : `${name}: ${observation}`,
      names: nameOf(name),
      tags: typeTag(entityType),
    },
    was: {},
    isWhole: false,
    nodes: nodesOf(name, entityType),
  }));
}

function fromRelation(line: number, relation: z.output<typeof relationSchema>): PortableEntry {
  const { from, to, relationType } = relation;
  const fits = [from, to].every((name) => nodesOf(name).length > 0) && relationType.length <= 100;
  return {
    line,
    id: JSON.stringify(["relation", from, relationType, to]),
    scope: graphServer,
    entry: {
      kind: "memory",
      text: `${from} ${relationType.replaceAll("_", " ")} ${to}`,
      names: [...nameOf(from), ...nameOf(to)],
      tags: ["relation"],
    },
    was: {},
    isWhole: false,
    ...(fits && { edges: [{ source: from, relation: relationType, target: to }] }),
  };
}

const graphServer = "server-memory";

function nameOf(name: string): string[] {
  const line = oneLine(name);
  return line === "" || line.length > 200 ? [] : [line];
}

function typeTag(type: string): string[] {
  return nameOf(type).map((line) => `type:${line}`.slice(0, 200));
}

/** A name too long for the graph is in the text all the same. */
function nodesOf(name: string, type?: string) {
  const [typed] = type === undefined ? [] : nameOf(type);
  return nameOf(name).map((line) => ({
    name: line,
    ...(typed !== undefined && typed.length <= 40 && { type: typed }),
  }));
}
