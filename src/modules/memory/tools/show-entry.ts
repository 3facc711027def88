import { cutHead } from "../../../base/index.ts";
import { trustMark } from "../../../kernel/index.ts";
import type { MemoryEntry } from "../store/memory-entry.ts";
import type { MemoryHits } from "../store/memory-store.ts";

/** What results say of an entry that they don't show. */
export interface ShownEntry {
  readonly id: string;
  readonly label?: string;
  readonly tier: string;
  readonly revision: number;
  readonly trust?: "untrusted";
}

export function showEntry({ id, label, tier, revision, trust }: MemoryEntry): ShownEntry {
  return { id, ...(label !== undefined && { label }), tier, revision, ...trustMark({ trust }) };
}

/** The beginning of a text, and how many characters follow it. */
export interface Excerpt {
  readonly head: string;
  /** Undefined: it is all of the text. */
  readonly more: number | undefined;
}

export function cutExcerpt(text: string, mostChars: number): Excerpt {
  const head = cutHead(text, mostChars);
  return { head, more: head.length < text.length ? text.length - head.length : undefined };
}

/** @param at Unix ms */
export function showTime(at: number): string {
  return new Date(at).toISOString();
}

/** The time that a phrase of the query was read as. */
export function showPeriod(time: NonNullable<MemoryHits["time"]>): Record<"phrase" | "from" | "to", string> {
  return { phrase: time.phrase, from: showTime(time.since), to: showTime(time.until) };
}

/** All entries that a list of hits shows, for `labelledContent`. */
export function listEntries({ hits }: Pick<MemoryHits, "hits">): readonly MemoryEntry[] {
  return hits.flatMap(({ entry, before, after }) => [...before, entry, ...after]);
}
