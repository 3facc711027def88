import { stricterPermission } from "../access.ts";
import type { MemoryAuthor, MemoryEntry, MemoryFacts, MemoryPermission } from "../memory-entry.ts";
import type { IndexedEntry } from "../search/document.ts";
import type { MemoryEntryRow } from "./entry-tables.ts";

/** What a version keeps beside the text. */
export type FactColumns = Pick<
  MemoryEntryRow,
  | "label"
  | "tier"
  | "title"
  | "names"
  | "category"
  | "tags"
  | "permission"
  | "pinned"
  | "valid_from"
  | "valid_to"
  | "superseded_by"
>;

/** `shared`: with which permission whoever asks has it from another scope. */
export function toEntry(row: MemoryEntryRow, shared?: MemoryPermission | null): MemoryEntry {
  return {
    id: row.id,
    scope: row.scope,
    kind: row.kind,
    label: row.label ?? undefined,
    tier: row.tier,
    text: row.text,
    title: row.title ?? undefined,
    names: fromLines(row.names),
    category: row.category ?? undefined,
    tags: fromLines(row.tags),
    permission: shared ? stricterPermission(row.permission, shared) : row.permission,
    pinned: row.pinned === 1,
    trust: row.trust,
    place: toPlace(row),
    at: row.at,
    validFrom: row.valid_from ?? undefined,
    validTo: row.valid_to ?? undefined,
    supersededBy: row.superseded_by ?? undefined,
    author: JSON.parse(row.author) as MemoryAuthor,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    deletedAt: row.deleted_at ?? undefined,
    revision: row.revision,
    undoDepth: row.undo_depth,
    redoDepth: row.redo_depth,
  };
}

function toPlace({ session, position, speaker, role, channel }: MemoryEntryRow): MemoryEntry["place"] {
  if (session === null || position === null) return undefined;
  return {
    session,
    position,
    ...(speaker !== null && { speaker }),
    ...(role !== null && { role }),
    ...(channel !== null && { channel }),
  };
}

export function toFacts(row: FactColumns): MemoryFacts {
  return {
    ...(row.label !== null && { label: row.label }),
    tier: row.tier,
    ...(row.title !== null && { title: row.title }),
    names: fromLines(row.names),
    ...(row.category !== null && { category: row.category }),
    tags: fromLines(row.tags),
    permission: row.permission,
    pinned: row.pinned === 1,
    ...(row.valid_from !== null && { validFrom: row.valid_from }),
    ...(row.valid_to !== null && { validTo: row.valid_to }),
    ...(row.superseded_by !== null && { supersededBy: row.superseded_by }),
  };
}

export function toFactColumns(facts: MemoryFacts): FactColumns {
  return {
    label: facts.label ?? null,
    tier: facts.tier ?? "archival",
    title: facts.title ?? null,
    names: toLines(facts.names),
    category: facts.category ?? null,
    tags: toLines(facts.tags),
    permission: facts.permission ?? "read_write",
    pinned: facts.pinned === true ? 1 : 0,
    valid_from: facts.validFrom ?? null,
    valid_to: facts.validTo ?? null,
    superseded_by: facts.supersededBy ?? null,
  };
}

export function toIndexed(row: MemoryEntryRow, scopes: readonly string[]): IndexedEntry {
  return { ...row, scopes, names: fromLines(row.names), tags: fromLines(row.tags) };
}

/** Between line feeds, which none of them has, each is found whole and no two of them as a third. */
function toLines(words: readonly string[] | undefined): string | null {
  return words === undefined || words.length === 0 ? null : `\n${words.join("\n")}\n`;
}

/** The word as `toLines` writes it among others; what can't be one is found nowhere. */
export function asLine(word: string): string {
  return `\n${word.replaceAll("\n", "\r")}\n`;
}

function fromLines(lines: string | null): readonly string[] {
  return lines === null ? [] : lines.slice(1, -1).split("\n");
}
