import { withoutUndefined } from "../../../../base/index.ts";
import { trustMark } from "../../../../kernel/index.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import { cutExcerpt, showTime } from "../show-entry.ts";

/** What every result says of a memory. */
export interface ShownMemory {
  readonly id: string;
  readonly kind: string;
  readonly content: string;
  /** Characters that were left out of `content`. */
  readonly more_chars?: number;
  readonly [fact: string]: unknown;
}

export function showMemory(entry: MemoryEntry, mostChars: number): ShownMemory {
  const { id, kind, text, label, title, category, tags, names, at, validFrom, validTo } = entry;
  const { head: content, more } = cutExcerpt(text, mostChars);
  return withoutUndefined({
    id,
    kind,
    label,
    title,
    category,
    content,
    more_chars: more,
    tags: tags.length > 0 ? tags : undefined,
    names: names.length > 0 ? names : undefined,
    at: showTime(at),
    valid_from: validFrom === undefined ? undefined : showTime(validFrom),
    valid_to: validTo === undefined ? undefined : showTime(validTo),
    corrected_by: entry.supersededBy,
    speaker: entry.place?.speaker,
    ...trustMark(entry),
  }) as ShownMemory;
}
