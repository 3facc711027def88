import { cutHead, oneLine, parseJson } from "../../../base/index.ts";
import { badLine } from "./errors.ts";
import { parseEntry } from "./memory-line.ts";
import type { PortableEntry } from "./portable-entry.ts";
import type { TextLine } from "./text-lines.ts";

/**
 * The entries of a document that `formatMemoryMarkdown` wrote, which people may have edited since. A heading
 * without facts is an entry they added.
 *
 * @param lines those after the front matter
 */
export async function* readMemoryMarkdown(lines: AsyncIterable<TextLine>): AsyncGenerator<PortableEntry> {
  let section: Section | undefined;
  for await (const { line, text } of lines) {
    if (text.startsWith("## ")) {
      if (section !== undefined) yield toEntry(section);
      section = { line, heading: oneLine(text.slice(3)), facts: new Map(), text: [], isText: false };
    } else if (section === undefined) continue;
    else if (section.isText) section.text.push(unescapeHeading(text));
    else addFact(section, line, text.replace(/\r$/, ""));
  }
  if (section !== undefined) yield toEntry(section);
}

interface Section {
  readonly line: number;
  readonly heading: string;
  readonly facts: Map<string, { readonly line: number; readonly value: string }>;
  readonly text: string[];
  isText: boolean;
}

function addFact(section: Section, line: number, text: string): void {
  const [, key, value] = /^([a-z-]+):: (.*)$/.exec(text) ?? [];
  if (key !== undefined && value !== undefined) {
    if (!(key in readers)) throw badLine(line, `"${key}" is nothing that is said of an entry`);
    section.facts.set(key, { line, value });
    return;
  }
  section.isText = true;
  if (text !== "") section.text.push(unescapeHeading(text));
}

function unescapeHeading(line: string): string {
  return /^\\+## /.test(line) ? line.slice(1) : line;
}

function toEntry({ line, heading, facts, text: lines }: Section): PortableEntry {
  const text = lines.join("\n").replace(/\n$/, "");
  if (facts.size === 0) {
    const title = cutHead(heading, 300);
    const portable = { kind: "memory", text, ...(title !== "" && { title }) };
    return {
      ...parseEntry(line, portable),
      id: JSON.stringify([heading, text]),
      isWhole: false,
    };
  }
  const fields: Record<string, unknown> = { kind: "memory" };
  const place: Record<string, unknown> = {};
  for (const [key, { line: at, value }] of facts) {
    const { name, of = fields, read: readValue = asText } = makeReaders(place)[key] as Reader;
    of[name] = readValue(value, at);
  }
  if (Object.keys(place).length > 0) fields["place"] = place;
  return parseEntry(line, { ...fields, text });
}

interface Reader {
  readonly name: string;
  readonly of?: Record<string, unknown>;
  readonly read?: (value: string, line: number) => unknown;
}

function makeReaders(place: Record<string, unknown>): Readonly<Record<string, Reader>> {
  const placed = (name: string): Reader => ({ name, of: place });
  return {
    id: { name: "id" },
    scope: { name: "scope" },
    kind: { name: "kind" },
    label: { name: "label" },
    title: { name: "title" },
    tier: { name: "tier" },
    permission: { name: "permission" },
    pinned: { name: "pinned", read: (value) => value === "yes" || value === "true" },
    trust: { name: "trust" },
    names: { name: "names", read: toList },
    tags: { name: "tags", read: toList },
    category: { name: "category" },
    session: placed("session"),
    position: { name: "position", of: place, read: Number },
    speaker: placed("speaker"),
    role: placed("role"),
    channel: placed("channel"),
    at: { name: "at", read: toTime },
    "valid-from": { name: "validFrom", read: toTime },
    "valid-to": { name: "validTo", read: toTime },
    "superseded-by": { name: "supersededBy" },
    author: { name: "author", read: toAuthor },
    created: { name: "createdAt", read: toTime },
    changed: { name: "changedAt", read: toTime },
    deleted: { name: "deletedAt", read: toTime },
  };
}

const readers = makeReaders({});

function asText(value: string): string {
  const parsed = value.startsWith('"') ? parseJson(value) : undefined;
  return typeof parsed === "string" ? parsed : value;
}

function toList(value: string, line: number): unknown {
  if (!value.startsWith("["))
    return value
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "");
  const parsed = parseJson(value);
  if (parsed === undefined)
    throw badLine(line, "the list is no JSON; write it with commas, without brackets");
  return parsed;
}

function toTime(value: string, line: number): number {
  const at = /^-?\d+$/.test(value) ? Number(value) : Date.parse(value);
  if (Number.isSafeInteger(at)) return at;
  throw badLine(line, `"${cutHead(value, 50)}" is no time; write it as 2026-01-31T12:00:00Z`);
}

function toAuthor(value: string): unknown {
  const parsed = value.startsWith("{") ? parseJson(value) : undefined;
  return parsed ?? { by: asText(value) };
}
