import { markdownMark } from "./memory-markdown.ts";
import type { MemoryFormat, PortableEntry } from "./portable-entry.ts";
import { readLines, type TextLine } from "./text-lines.ts";

/** How a file is read, and what its notes become. */
export interface ReadOptions {
  readonly format: MemoryFormat;
  /** What a note of a Markdown document is called that has no heading. */
  readonly name: string;
  /** The project that the notes become those of. */
  readonly project: string;
}

/** Further than this into a document its front matter does not reach. */
const longestFront = 200;

/**
 * The entries of a file, one at a time.
 *
 * @throws {MemoryImportError} MEMORY_IMPORT, with the number of the line that can't be read
 *
 * @example
 * ```ts
 * const lines = ['{ "kind": "memory", "text": "Ada likes tea." }\n'];
 * const texts: string[] = [];
 * for await (const { entry } of readPortable(lines, { format: "jsonl", name: "import", project: "shop" }))
 *   texts.push(entry.text);
 * texts; // → ["Ada likes tea."]
 * ```
 */
export async function* readPortable(
  pieces: AsyncIterable<string> | Iterable<string>,
  { format, name, project }: ReadOptions,
): AsyncGenerator<PortableEntry> {
  const lines = readLines(pieces);
  if (format === "jsonl") {
    const { parseMemoryLine } = await import("./memory-line.ts");
    for await (const line of lines) yield* parseMemoryLine(line);
    return;
  }
  const first = await lines.next();
  if (first.done === true) return;
  const front = first.value.text.trimEnd() === "---" ? await readFront(lines) : [];
  const isFront = front.at(-1)?.text.trimEnd() === "---";
  const rest = isFront ? lines : following([first.value, ...front], lines);
  const matter = isFront ? front.slice(0, -1).map(({ text }) => text.trimEnd()) : [];
  if (matter.includes(markdownMark)) {
    const { readMemoryMarkdown } = await import("./read-memory-markdown.ts");
    yield* readMemoryMarkdown(rest);
    return;
  }
  const { readFrontMatter, readPlainMarkdown } = await import("./plain-markdown.ts");
  yield* readPlainMarkdown(rest, { name, project, front: await readFrontMatter(matter.join("\n")) });
}

/** Up to the line that ends it, or as far as it may reach. */
async function readFront(lines: AsyncGenerator<TextLine>): Promise<TextLine[]> {
  const front: TextLine[] = [];
  while (front.length < longestFront) {
    const next = await lines.next();
    if (next.done === true) break;
    front.push(next.value);
    if (next.value.text.trimEnd() === "---") break;
  }
  return front;
}

async function* following(
  first: readonly TextLine[],
  rest: AsyncIterable<TextLine>,
): AsyncGenerator<TextLine> {
  yield* first;
  yield* rest;
}
