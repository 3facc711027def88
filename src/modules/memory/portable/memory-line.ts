import { oneLine, parseJson, withoutUndefined } from "../../../base/index.ts";
import { entryLimits } from "../store/entry-limits.ts";
import type { NewMemoryEntry } from "../store/memory-entry.ts";
import { toMessage } from "../store/record-turns.ts";
import { badLine } from "./errors.ts";
import {
  type EntityLine,
  type PlainLine,
  type RelationLine,
  readEntityLine,
  readEntryLine,
  readPlainLine,
  readRelationLine,
} from "./memory-line-schema.ts";
import type { PortableEntry } from "./portable-entry.ts";
import { parseSpokenTime } from "./spoken-time.ts";
import type { TextLine } from "./text-lines.ts";

/**
 * An entry of haft's own, as it was exported.
 *
 * @throws {MemoryImportError} MEMORY_IMPORT
 */
export function parseEntry(line: number, value: unknown): PortableEntry {
  const { id, scope, author, createdAt, changedAt, deletedAt, at, validFrom, validTo, ...said } =
    readEntryLine(line, value);
  const { kind, text, label, tier, title, names, category, tags, permission, pinned, trust } = said;
  const { place, supersededBy } = said;
  const facts = { label, tier, title, names, category, tags, permission, pinned, trust, place, supersededBy };
  const time = (name: string, told: number | string | undefined) => readTime(line, name, told);
  const times = {
    at: time("at", at),
    validFrom: time("validFrom", validFrom),
    validTo: time("validTo", validTo),
  };
  return {
    line,
    id,
    scope,
    entry: {
      kind,
      text: checkLength(line, text),
      ...withoutUndefined({ ...facts, ...times }),
    } as NewMemoryEntry,
    was: withoutUndefined({
      author,
      createdAt: time("createdAt", createdAt),
      changedAt: time("changedAt", changedAt),
      deletedAt: time("deletedAt", deletedAt),
    }),
    isWhole: true,
  };
}

function readTime(line: number, name: string, told: number | string | null | undefined): number | undefined {
  if (told === undefined || told === null) return undefined;
  const at = typeof told === "string" ? parseSpokenTime(told) : told;
  if (at !== undefined && Number.isSafeInteger(at)) return at;
  throw badLine(line, `${name}: "${told}" can't be read; write it as 2026-01-31T12:00:00Z`);
}

function checkLength(line: number, text: string): string {
  if (text.length <= entryLimits.text) return text;
  throw badLine(line, `text: it has more than ${entryLimits.text.toLocaleString("en")} characters`);
}

/**
 * The entries of a line of JSON: of haft's own export, of a data set, or of `@modelcontextprotocol/server-memory`.
 *
 * @throws {MemoryImportError} MEMORY_IMPORT
 */
export function parseMemoryLine({ line, text }: TextLine): readonly PortableEntry[] {
  if (text.trim() === "") return [];
  if (text.trimStart().startsWith("["))
    throw badLine(line, "it begins a list; write one JSON object a line (JSON lines), as `jq -c '.[]'` does");
  const value = parseJson(text);
  if (value === undefined) throw badLine(line, "it is no JSON");
  if (typeof value !== "object" || value === null) throw badLine(line, "it is no object");
  if ("type" in value && value.type === "entity") return fromEntity(line, readEntityLine(line, value));
  if ("type" in value && value.type === "relation")
    return [fromRelation(line, readRelationLine(line, value))];
  if ("kind" in value) return [parseEntry(line, value)];
  return [fromPlain(line, readPlainLine(line, value))];
}

function fromPlain(line: number, fields: PlainLine): PortableEntry {
  const { id, scope, text, speaker, session, tags } = fields;
  const time = fields.time ?? undefined;
  const at = readTime(line, "time", time);
  const said = {
    text: checkLength(line, text),
    tags: [...(tags ?? []), ...(scope === undefined ? [] : [`scope:${scope}`])],
    ...(at !== undefined && { at }),
  };
  return {
    line,
    id: id === undefined ? JSON.stringify([session, time, speaker, text]) : String(id),
    scope,
    entry: session
      ? toMessage({ session, ...said, ...(speaker && { speaker }) })
      : { kind: "memory", ...said, ...(speaker && { names: [speaker] }) },
    was: {},
    isWhole: false,
  };
}

function fromEntity(line: number, entity: EntityLine): readonly PortableEntry[] {
  const { name, entityType, observations } = entity;
  const said = observations.length === 0 ? [undefined] : [...new Set(observations)];
  return said.map((observation) => ({
    line,
    id: JSON.stringify(["entity", name, entityType, observation]),
    scope: graphServer,
    entry: {
      kind: "memory",
      text: observation === undefined ? `${name} (${entityType})` : `${name}: ${observation}`,
      names: listNames(name),
      tags: typeTag(entityType),
    },
    was: {},
    isWhole: false,
    nodes: toNodes(name, entityType),
  }));
}

function fromRelation(line: number, relation: RelationLine): PortableEntry {
  const { from, to, relationType } = relation;
  const fits =
    [from, to, relationType].every((name) => listNames(name).length > 0) && relationType.length <= 100;
  return {
    line,
    id: JSON.stringify(["relation", from, relationType, to]),
    scope: graphServer,
    entry: {
      kind: "memory",
      text: `${from} ${relationType.replaceAll("_", " ")} ${to}`,
      names: [...listNames(from), ...listNames(to)],
      tags: ["relation"],
    },
    was: {},
    isWhole: false,
    ...(fits && { edges: [{ source: from, relation: relationType, target: to }] }),
  };
}

const graphServer = "server-memory";

function listNames(name: string): string[] {
  const line = oneLine(name);
  return line === "" || line.length > 200 || /\p{Cc}/u.test(line) ? [] : [line];
}

function typeTag(type: string): string[] {
  return listNames(type).map((line) => `type:${line}`.slice(0, 200));
}

/** A name that the graph does not take is in the text all the same. */
function toNodes(name: string, type?: string) {
  const [typed] = type === undefined ? [] : listNames(type);
  return listNames(name).map((line) => ({
    name: line,
    ...(typed !== undefined && typed.length <= 40 && { type: typed }),
  }));
}
