import { headOf } from "../../../base/index.ts";
import type { MemoryEntry } from "../../../store/index.ts";
import { withoutUndefined } from "../../../base/index.ts";

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
  const { id, kind, text, label, title, category, tags, names, at, trust } = entry;
  const content = headOf(text, mostChars);
  return withoutUndefined({
    id,
    kind,
    label,
    title,
    category,
    content,
    more_chars: content.length < text.length ? text.length - content.length : undefined,
    tags: tags.length > 0 ? tags : undefined,
    names: names.length > 0 ? names : undefined,
    at: new Date(at).toISOString(),
    valid_from: showTime(entry.validFrom),
    valid_to: showTime(entry.validTo),
    corrected_by: entry.supersededBy,
    speaker: entry.place?.speaker,
    trust: trust === "untrusted" ? trust : undefined,
  }) as ShownMemory;
}

export function showTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
