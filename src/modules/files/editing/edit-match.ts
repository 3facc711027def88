import { cutHead } from "../../../base/index.ts";
import { FileToolError } from "../errors.ts";
import { checkSize } from "../limits.ts";
import { decodeText, encodeText, isWide, type TextEncoding, type TextForm } from "../text/text-encoding.ts";

/** One replacement of an exact text. */
export interface TextEdit {
  readonly oldString: string;
  readonly newString: string;
  /** false: the text must occur once. */
  readonly replaceAll: boolean;
}

/** An edit in the bytes of one file. */
export interface ByteEdit {
  readonly needle: Buffer;
  readonly replacement: Buffer;
  /** How it differs from what was asked, for whoever asked. */
  readonly note: string | undefined;
}

const shownLines = 5;

/**
 * An edit in the ways it may be meant, the likeliest first: models give line ends as `\n`, whatever the file has, and
 * the file keeps its own.
 */
export function toByteEdits(edit: TextEdit, head: Buffer, form: TextForm, path: string): ByteEdit[] {
  const { oldString, newString } = edit;
  const lf = { old: oldString.replaceAll("\r\n", "\n"), new: newString.replaceAll("\r\n", "\n") };
  const given = { old: oldString, new: newString, note: undefined };
  const ways = usesCrlf(head, form.encoding)
    ? [
        {
          old: lf.old.replaceAll("\n", "\r\n"),
          new: lf.new.replaceAll("\n", "\r\n"),
          note: "the file's CRLF line ends were kept",
        },
        given,
      ]
    : [given, { ...lf, note: "the file's LF line ends were kept" }];
  return ways
    .filter((way, at) => at === 0 || way.old !== ways[0]?.old)
    .map((way) => ({
      needle: encodeText(way.old, form.encoding, path),
      replacement: encodeText(way.new, form.encoding, path),
      note: way.old === oldString && way.new === newString ? undefined : way.note,
    }));
}

/** What an edit made of content in memory. */
export interface Applied {
  readonly content: Buffer;
  /** Places that were replaced. */
  readonly count: number;
  /** The lines of the first few of them. */
  readonly first: readonly number[];
  readonly note: string | undefined;
}

/** Applies an edit to content in memory; throws TEXT_NOT_FOUND, TEXT_AMBIGUOUS or FILE_TOO_LARGE. */
export function applyEdit(
  content: Buffer,
  edit: TextEdit,
  form: TextForm,
  subject: { readonly path: string; readonly name: string },
): Applied {
  for (const { needle, replacement, note } of toByteEdits(edit, content, form, subject.path)) {
    const wide = isWide(form.encoding);
    const { count, first } = countOccurrences(content, needle, wide);
    if (count === 0) continue;
    if (count > 1 && !edit.replaceAll)
      throw ambiguous(subject, count, linesAt(content, first, form.encoding));
    const size = content.length + count * (replacement.length - needle.length);
    checkSize(subject.path, size);
    return { content: replaceAll(content, needle, replacement, { size, wide }), count, first, note };
  }
  throw notFound(subject, nearMiss(content, edit.oldString, form.encoding));
}

export function ambiguous(
  { path, name }: { readonly path: string; readonly name: string },
  count: number,
  lines: readonly number[],
): FileToolError {
  const where = lines.length === 0 ? "" : ` (lines ${lines.join(", ")}${count > lines.length ? ", …" : ""})`;
  const times = lines.length === 0 ? "more than once" : `${count} times`;
  return new FileToolError(
    "TEXT_AMBIGUOUS",
    `Cannot edit "${path}": ${name} occurs ${times}${where}; add lines around it until it is unique, or set replace_all`,
    { details: { path, lines } },
  );
}

export function notFound(
  { path, name }: { readonly path: string; readonly name: string },
  hint: string | undefined,
): FileToolError {
  return new FileToolError(
    "TEXT_NOT_FOUND",
    `Cannot edit "${path}": ${name} was not found; ${hint ?? "read the file and copy the text exactly, with its white space"}`,
    { details: { path } },
  );
}

/** The lines, from 1, on which the positions lie. */
export function linesAt(content: Buffer, positions: readonly number[], encoding: TextEncoding): number[] {
  const lines: number[] = [];
  let line = 1;
  let from = 0;
  for (const position of positions) {
    line += newlinesIn(content.subarray(from, position), encoding);
    from = position;
    lines.push(line);
  }
  return lines;
}

function newlinesIn(bytes: Buffer, encoding: TextEncoding): number {
  const text = isWide(encoding) ? Buffer.from(decodeText(bytes, encoding).text) : bytes;
  let count = 0;
  for (let at = text.indexOf(10); at !== -1; at = text.indexOf(10, at + 1)) count++;
  return count;
}

/** The offsets of the needle, one after the other: a short one in a large file has more than can be listed. */
function* occurrences(content: Buffer, needle: Buffer, wide: boolean): Generator<number, void> {
  for (let at = content.indexOf(needle); at !== -1; ) {
    const whole = !wide || at % 2 === 0;
    if (whole) yield at;
    at = content.indexOf(needle, whole ? at + needle.length : at + 1);
  }
}

function countOccurrences(
  content: Buffer,
  needle: Buffer,
  wide: boolean,
): { readonly count: number; readonly first: readonly number[] } {
  const first: number[] = [];
  let count = 0;
  for (const at of occurrences(content, needle, wide)) if (count++ < shownLines) first.push(at);
  return { count, first };
}

function replaceAll(
  content: Buffer,
  needle: Buffer,
  replacement: Buffer,
  { size, wide }: { readonly size: number; readonly wide: boolean },
): Buffer {
  const replaced = Buffer.allocUnsafe(size);
  let from = 0;
  let to = 0;
  for (const at of occurrences(content, needle, wide)) {
    to += content.copy(replaced, to, from, at);
    to += replacement.copy(replaced, to);
    from = at + needle.length;
  }
  content.copy(replaced, to, from);
  return replaced;
}

/** Whether the first line end of the file is CRLF. */
function usesCrlf(head: Buffer, encoding: TextEncoding): boolean {
  const text = decodeText(head.subarray(0, 64 * 1024 - (head.length % 2)), encoding).text;
  const at = text.indexOf("\n");
  return at > 0 && text[at - 1] === "\r";
}

/** A hint for a text that the file does not hold exactly: where its first line stands. */
function nearMiss(content: Buffer, wanted: string, encoding: TextEncoding): string | undefined {
  if (content.length > 1024 * 1024) return undefined;
  const first = wanted
    .split(/\r?\n/)
    .find((line) => line.trim() !== "")
    ?.trim();
  if (first === undefined) return undefined;
  const lines = decodeText(content, encoding).text.split("\n");
  const at = lines.findIndex((line) => line.trim() === first);
  const near = at === -1 ? lines.findIndex((line) => first.length > 8 && line.includes(first)) : at;
  if (near === -1) return undefined;
  return `its first line stands at line ${near + 1} as ${JSON.stringify(cutHead((lines[near] as string).replace(/\r$/, ""), 200))}, but white space or the lines after it differ; read that part again and copy it exactly`;
}
