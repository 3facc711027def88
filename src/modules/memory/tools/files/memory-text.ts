import { cutHead, oneLine } from "../../../../base/index.ts";
import { FileToolError } from "../../../files/index.ts";

/**
 * Says in the file itself that it holds data from outside: renamed, copied, in git or on another machine it still
 * does. Who takes the line out has checked the file.
 */
const mark = "<!-- haft: untrusted: holds text from outside; delete this line once you have checked it -->";
const markLine = /^[ \t]*<!-- haft: untrusted\b.*(?:\r?\n|$)/m;
const summaryLine = /^>[ \t]?Summary:(.*)$/im;
const heading = /^#{1,6}[ \t](.*)$/m;
/** The longest heading or summary as it is shown, in characters. */
const maxLineChars = 300;
const frontMatter = /^---[ \t]*\r?\n(?:[^\n]*\n)*?---[ \t]*(?:\r?\n|$)/;
/** A front matter that never ends is none; what is longer was never meant as one. */
const maxFrontMatterChars = 10_000;

/** What a text says of itself before it says anything else. */
export interface MemoryTextParts {
  /** Between the lines of `---`; empty where there is none. */
  readonly frontMatter: string;
  /** Without what is before it, the mark and the summary. Lines end in `\n`. */
  readonly body: string;
  readonly summary: string;
}

export function splitMemoryText(text: string): MemoryTextParts {
  const plain = text.replaceAll("\r\n", "\n");
  const head = headMatter(plain);
  const summary = readSummary(plain);
  const body = withoutSummary(plain.slice(head.length).replaceAll(new RegExp(markLine, "gm"), ""));
  return { frontMatter: head.replace(/^---.*\n/, "").replace(/---\s*$/, ""), body, summary };
}

function withoutSummary(text: string): string {
  const found = summaryLine.exec(text);
  if (found === null) return text;
  const before = text.slice(0, found.index).trimEnd();
  return `${before}\n\n${text.slice(found.index + found[0].length).trimStart()}`;
}

export function readSummary(text: string): string {
  return cutHead(oneLine(summaryLine.exec(text)?.[1] ?? ""), maxLineChars);
}

export function isMarked(text: string): boolean {
  return markLine.test(text);
}

/** The text with the mark as its first line, or the first after a front matter. */
export function withMark(text: string): string {
  if (isMarked(text)) return text;
  const head = headMatter(text);
  return `${endLine(head, text)}${mark}${detectEol(text)}${text.slice(head.length)}`;
}

/** The text with this summary in place of its own, or after its first heading, or before everything. */
export function withSummary(text: string, given: string): string {
  const eol = detectEol(text);
  const line = `> Summary: ${oneLine(given)}`;
  if (summaryLine.test(text)) return text.replace(summaryLine, () => line);
  const before = headMatter(text).length;
  const title = heading.exec(text.slice(before));
  if (title === null) {
    const head = endLine(text.slice(0, before), text);
    const mine = markLine.exec(text.slice(before));
    const at = mine === null ? before : before + mine.index + mine[0].length;
    return `${head}${text.slice(before, at)}${line}${eol}${at < text.length ? eol : ""}${text.slice(at)}`;
  }
  const end = before + title.index + title[0].length;
  const rest = text.slice(end).replace(/^(?:\r?\n)+/, "");
  return `${text.slice(0, end)}${eol}${eol}${line}${eol}${rest === "" ? "" : eol}${rest}`;
}

/** The text with `entry` on lines of its own at its end. */
export function withEntry(text: string, entry: string): string {
  const eol = detectEol(text);
  const added = eol === "\r\n" ? entry.replaceAll(/\r?\n/g, eol) : entry;
  return `${endLine(text, text)}${endLine(added, text)}`;
}

/**
 * The text with the one occurrence of `old` replaced. Models give line ends as `\n`, whatever the file has, and the
 * file keeps its own.
 *
 * @throws {FileToolError} TEXT_NOT_FOUND, TEXT_AMBIGUOUS, EDIT_EMPTY
 */
export function withReplaced(text: string, old: string, replacement: string, path: string): string {
  if (old === replacement)
    throw new FileToolError(
      "EDIT_EMPTY",
      `Cannot edit "${path}": the text is to be replaced by itself; give another new_str`,
    );
  for (const [from, to] of [
    [old, replacement],
    [withEol(old, detectEol(text)), withEol(replacement, detectEol(text))],
  ] as const) {
    const at = text.indexOf(from);
    if (at === -1) continue;
    const again = text.indexOf(from, at + 1);
    if (again === -1) return text.slice(0, at) + to + text.slice(at + from.length);
    throw new FileToolError(
      "TEXT_AMBIGUOUS",
      `Cannot edit "${path}": the text occurs more than once (lines ${lineAt(text, at)}, ${lineAt(text, again)}); add lines around it until it is unique`,
      { details: { path, lines: [lineAt(text, at), lineAt(text, again)] } },
    );
  }
  throw new FileToolError(
    "TEXT_NOT_FOUND",
    `Cannot edit "${path}": the text was not found; read the file with memory_read and copy the text exactly, with its white space`,
    { details: { path } },
  );
}

function headMatter(text: string): string {
  if (!text.startsWith("---")) return "";
  return frontMatter.exec(text.slice(0, maxFrontMatterChars))?.[0] ?? "";
}

function detectEol(text: string): "\n" | "\r\n" {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function withEol(text: string, eol: string): string {
  return text.replaceAll(/\r?\n/g, eol);
}

/** `part` as whole lines of `text`. */
function endLine(part: string, text: string): string {
  return part === "" || part.endsWith("\n") ? part : part + detectEol(text);
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
