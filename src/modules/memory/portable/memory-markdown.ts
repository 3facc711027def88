import { cutHead, oneLine } from "../../../base/index.ts";
import type { MemoryAuthor, MemoryEntry } from "../store/memory-entry.ts";

/** The line by which a document is known that haft exported. */
export const markdownMark = "haft-memory: 1";

/** What every exported document begins with. */
export function markdownHead(scope: string): string {
  return `---\n${markdownMark}\n---\n\n# Memory of ${oneLine(scope)}\n\n`;
}

/** A heading, what is said of the entry as `key:: value`, and its text. */
export function formatMemoryMarkdown(entry: MemoryEntry): string {
  const heading = cutHead(oneLine(entry.title ?? entry.label ?? cutHead(entry.text, 200)), 80);
  const facts = listFacts(entry).map(([key, value]) => `${key}:: ${value}\n`);
  return `## ${heading}\n${facts.join("")}\n${escapeHeadings(entry.text)}\n\n`;
}

/** A line of the text that would begin an entry, with a backslash, which Markdown does not show. */
function escapeHeadings(text: string): string {
  return text.replaceAll(/(?<![^\n])\\*## /g, "\\$&");
}

function listFacts(entry: MemoryEntry): readonly (readonly [string, string])[] {
  const { place } = entry;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["id", entry.id],
    ["scope", asValue(entry.scope)],
    ["kind", asValue(entry.kind)],
    ["label", asValue(entry.label)],
    ["title", asValue(entry.title)],
    ["tier", entry.tier],
    ["permission", entry.permission],
    ["pinned", entry.pinned ? "yes" : undefined],
    ["trust", entry.trust === "untrusted" ? "untrusted" : undefined],
    ["names", asList(entry.names)],
    ["tags", asList(entry.tags)],
    ["category", asValue(entry.category)],
    ["session", asValue(place?.session)],
    ["position", place && String(place.position)],
    ["speaker", asValue(place?.speaker)],
    ["role", asValue(place?.role)],
    ["channel", asValue(place?.channel)],
    ["at", asTime(entry.at)],
    ["valid-from", asTime(entry.validFrom)],
    ["valid-to", asTime(entry.validTo)],
    ["superseded-by", entry.supersededBy],
    ["author", asAuthor(entry.author)],
    ["created", asTime(entry.createdAt)],
    ["changed", asTime(entry.changedAt)],
    ["deleted", asTime(entry.deletedAt)],
  ];
  return facts.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
}

/** A value as it is where it reads as itself, else as JSON. */
function asValue(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const isPlain = value.trim() === value && value !== "" && !/^["[{]|[\p{Cc}\u2028\u2029]/u.test(value);
  return isPlain ? value : JSON.stringify(value);
}

function asList(values: readonly string[]): string | undefined {
  if (values.length === 0) return undefined;
  const isPlain = values.every((value) => asValue(value) === value && !value.includes(","));
  return isPlain ? values.join(", ") : JSON.stringify(values);
}

/** `Date` knows 8.64e15 ms on each side of 1970. */
function asTime(at: number | undefined): string | undefined {
  if (at === undefined) return undefined;
  const year = Math.abs(at) <= 8.64e15 ? new Date(at).getUTCFullYear() : -1;
  return year >= 0 && year <= 9999 ? new Date(at).toISOString() : String(at);
}

function asAuthor(author: MemoryAuthor): string | undefined {
  return Object.keys(author).length === 1 ? asValue(author.by) : JSON.stringify(author);
}
