import { cutHead, isRecord, oneLine } from "../../../base/index.ts";
import { entryLimits } from "../store/entry-limits.ts";
import { newNote } from "../tools/notes/index.ts";
import { badLine } from "./errors.ts";
import type { PortableEntry } from "./portable-entry.ts";
import { parseSpokenTime } from "./spoken-time.ts";
import type { TextLine } from "./text-lines.ts";

/** What the front matter of a document says of all of it. */
export interface FrontMatter {
  readonly title?: string;
  readonly tags: readonly string[];
  readonly names: readonly string[];
  readonly at?: number;
}

export interface PlainDocument {
  /** What a note is called that has no heading. */
  readonly name: string;
  /** The project whose notes they become. */
  readonly project: string;
  readonly front: FrontMatter;
}

/** @param text YAML, as Obsidian writes it. Anything else is passed over. */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const { parse } = await import("yaml");
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 0 });
  } catch {
    value = undefined;
  }
  const fields = isRecord(value) ? value : {};
  const matchWords = (...names: readonly string[]) =>
    names.flatMap((name) => {
      const field = fields[name];
      const words =
        typeof field === "string" ? field.split(",") : Array.isArray(field) ? field.map(String) : [];
      return words.map((word) => oneLine(word.replace(/^#/, ""))).filter((word) => isWord(word));
    });
  const title = typeof fields["title"] === "string" ? oneLine(fields["title"]) : "";
  const date = fields["date"] ?? fields["created"];
  const at = typeof date === "string" ? parseSpokenTime(date) : undefined;
  return {
    tags: matchWords("tags", "tag").slice(0, 90),
    names: matchWords("aliases", "alias").slice(0, 90),
    ...(title !== "" && { title }),
    ...(at !== undefined && { at }),
  };
}

function isWord(word: string): boolean {
  return word !== "" && word.length <= 200 && !/\p{Cc}/u.test(word);
}

/** A note for each heading of the first two levels, with what stands below it; what has the same title gets a number. */
export async function* readPlainMarkdown(
  lines: AsyncIterable<TextLine>,
  document: PlainDocument,
): AsyncGenerator<PortableEntry> {
  const titles = new Map<string, number>();
  const toNote = ({ line, title, text }: Section): PortableEntry[] => {
    const body = text
      .join("\n")
      .replace(/^(?:[^\S\n]*\n)+/, "")
      .trimEnd();
    if (body === "") return [];
    if (body.length > entryLimits.text)
      throw badLine(line, "what is below it is longer than 1,000,000 characters");
    const known = title.toLowerCase();
    const count = (titles.get(known) ?? 0) + 1;
    titles.set(known, count);
    return [makeNote(line, count === 1 ? title : `${title} (${count})`, body, document)];
  };
  let section: Section = { line: 1, title: shortTitle(document.front.title ?? document.name), text: [] };
  let fence: string | undefined;
  for await (const { line, text } of lines) {
    const [, marks] = /^ {0,3}(`{3,}|~{3,})/.exec(text) ?? [];
    if (marks !== undefined) {
      if (fence === undefined) fence = marks;
      else if (marks.startsWith(fence)) fence = undefined;
    }
    const heading = fence === undefined ? readHeading(text) : undefined;
    if (heading === undefined) section.text.push(text.replace(/\r$/, ""));
    else {
      yield* toNote(section);
      section = { line, title: shortTitle(heading), text: [] };
    }
  }
  yield* toNote(section);
}

/** The text of a heading of the first two levels, without the signs that may close it. */
function readHeading(line: string): string | undefined {
  if (!/^#{1,2}[ \t]/.test(line)) return undefined;
  const heading = line.replace(/^#+/, "").trim();
  let end = heading.length;
  while (heading.charAt(end - 1) === "#") end--;
  const isClosed = end < heading.length && /[ \t]/.test(heading.charAt(end - 1));
  return (isClosed ? heading.slice(0, end).trimEnd() : heading) || undefined;
}

interface Section {
  readonly line: number;
  readonly title: string;
  readonly text: string[];
}

function shortTitle(title: string): string {
  return cutHead(oneLine(title).replaceAll(/\p{Cc}/gu, ""), 90) || "Untitled";
}

function makeNote(
  line: number,
  title: string,
  text: string,
  { front, project }: PlainDocument,
): PortableEntry {
  const note = newNote(project, title, text);
  const at = parseSpokenTime(/^\d{4}-\d{2}-\d{2}/.exec(title)?.[0] ?? "") ?? front.at;
  return {
    line,
    id: note.label,
    scope: undefined,
    entry: {
      ...note,
      label: note.label.length <= 200 ? note.label : cutHead(note.label, 200),
      tags: [...new Set([...(note.tags ?? []), ...front.tags])],
      ...(front.names.length > 0 && { names: front.names }),
      ...(at !== undefined && { at }),
    },
    was: {},
    isWhole: false,
  };
}
