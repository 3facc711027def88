import { entryLimits } from "./entry-limits.ts";
import { MemoryError } from "./errors.ts";
import type { MemoryEntry } from "./memory-entry.ts";
import { shownName } from "./memory-guard.ts";

/** Every occurrence, exactly. @throws {MemoryError} MEMORY_TEXT_NOT_FOUND, MEMORY_TOO_LONG */
export function replaceAll(
  entry: Pick<MemoryEntry, "id" | "label" | "text" | "trust">,
  old: string,
  text: string,
): { readonly text: string; readonly count: number } {
  const name = shownName(entry);
  if (old === "")
    throw new MemoryError(
      "MEMORY_TEXT_NOT_FOUND",
      `Cannot replace in "${name}": the text to replace is empty; say which, or append instead`,
    );
  const count = occurrences(entry.text, old);
  if (count === 0)
    throw new MemoryError(
      "MEMORY_TEXT_NOT_FOUND",
      `Cannot replace in "${name}": the text to replace does not occur in it; ${nearMiss(entry.text, old)}`,
      { details: { id: entry.id } },
    );
  const chars = entry.text.length + count * (text.length - old.length);
  if (chars > entryLimits.text)
    throw new MemoryError(
      "MEMORY_TOO_LONG",
      `Cannot replace in "${name}": it would have ${chars} characters, and ${entryLimits.text} is the most`,
      { details: { id: entry.id, chars } },
    );
  return { text: entry.text.replaceAll(old, () => text), count };
}

function occurrences(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) count++;
  return count;
}

function nearMiss(text: string, wanted: string): string {
  if (text === "") return "it is empty";
  const otherCase = occurrences(text.toLowerCase(), wanted.toLowerCase());
  if (otherCase > 0) return `in other letter case it occurs ${times(otherCase)}`;
  const plain = (words: string) => words.replace(/\s+/g, " ").trim();
  const otherSpace = plain(wanted) === "" ? 0 : occurrences(plain(text), plain(wanted));
  if (otherSpace > 0) return `with other white space it occurs ${times(otherSpace)}`;
  return "copy it from the block exactly";
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
