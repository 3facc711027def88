import { createHash } from "node:crypto";
import type { NewGraphEdge, NewGraphNode } from "../store/graph/memory-graph.ts";
import type { MemoryEntry, NewMemoryEntry } from "../store/memory-entry.ts";
import type { FormerEntry } from "../store/memory-store.ts";

/** How memory is written into files: a line of JSON for each entry, or one readable document. */
export const memoryFormats = ["jsonl", "md"] as const;

/** One of {@link memoryFormats}. */
export type MemoryFormat = (typeof memoryFormats)[number];

/** An entry on its way from a file into memory. */
export interface PortableEntry {
  /** The line of the file it begins on, from 1. */
  readonly line: number;
  /** What it goes by where it is from, and in whose memory it was. */
  readonly id: string | undefined;
  readonly scope: string | undefined;
  readonly entry: NewMemoryEntry;
  readonly was: Omit<FormerEntry, "id">;
  /** All that can be said of it is said: what is absent is not so. */
  readonly isWhole: boolean;
  /** What it says of the things that it is about. */
  readonly nodes?: readonly NewGraphNode[];
  readonly edges?: readonly NewGraphEdge[];
}

/** What is made of the files in the memory folder, and made again of them: the files are to be copied. */
export const kindsOfFiles: readonly string[] = ["passage", "former"];

/** What an export says of an entry; nothing that only the store has a use for. */
export type ExportedEntry = Omit<MemoryEntry, "revision" | "undoDepth" | "redoDepth">;

/** Leaves out of an entry what only the store has a use for. */
export function toExported({
  revision: _revision,
  undoDepth: _undo,
  redoDepth: _redo,
  ...exported
}: MemoryEntry): ExportedEntry {
  return exported;
}

const ownId = /^m_[0-9a-z]{16}$/;

/**
 * The id that an entry of a file has in the memory of `scope`: its own where it is from there, otherwise one made of
 * both. Whoever imports it again finds it by that.
 */
export function importedId(portable: PortableEntry, scope: string): string | undefined {
  return portable.id === undefined ? undefined : importedReference(portable.id, portable, scope);
}

/** The same for another entry that this one names. */
export function importedReference(id: string, from: Pick<PortableEntry, "scope">, scope: string): string {
  return from.scope === scope && ownId.test(id) ? id : derivedId(scope, from.scope ?? "", id);
}

function derivedId(scope: string, from: string, id: string): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([scope, from, id]))
    .digest();
  return `m_${Array.from(digest.subarray(0, 16), (byte) => alphabet[byte & 31]).join("")}`;
}

// As the ids that memory makes.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
