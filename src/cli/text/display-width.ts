import { stripVTControlCharacters } from "node:util";

/** Columns that `text` takes in a terminal: wide characters count two, colours and marks that join the one before none. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of listSegments(stripVTControlCharacters(text))) width += measureWidth(segment);
  return width;
}

/** Cuts `text` to at most `width` columns, with `…` at the end where something was cut. */
export function fitWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let taken = "";
  let columns = 0;
  for (const { segment } of listSegments(text)) {
    columns += measureWidth(segment);
    if (columns > width - 1) break;
    taken += segment;
  }
  return `${taken.trimEnd()}…`;
}

/**
 * The end of `text`, of at most `width` columns, with `…` before it where something was cut. Characters that a terminal
 * may draw as one or as several, such as a family of emoji, count as several. Colours are lost where something is cut.
 */
export function fitEnd(text: string, width: number): string {
  const chars = Array.from(stripVTControlCharacters(text));
  const columns = chars.map((char) => displayWidth(char));
  let left = columns.reduce((sum, one) => sum + one, 0);
  if (left <= width) return text;
  const from = columns.findIndex((one) => {
    const fits = left <= width - 1;
    left -= one;
    return fits;
  });
  return `…${chars.slice(from).join("")}`;
}

/** The rows that lines take on a terminal of `width` columns. */
export function countRows(lines: readonly string[], width: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / width)), 0);
}

interface WrapOptions {
  /** Break a word that is longer than a line. @default false: it stays whole */
  readonly breakWords?: boolean;
}

/** Breaks `text` at spaces into lines of at most `width` columns; a longer word stays whole. Line breaks are kept. */
export function wrapText(text: string, width: number, { breakWords = false }: WrapOptions = {}): string[] {
  const lines = text.split("\n").flatMap((line) => wrapLine(line, width));
  return breakWords ? lines.flatMap((line) => breakLine(line, width)) : lines;
}

function wrapLine(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const lines: string[] = [];
  let current: string | undefined;
  for (const word of line.split(" ")) {
    const longer: string = current === undefined ? word : `${current} ${word}`;
    if (current !== undefined && current.trim() !== "" && displayWidth(longer) > width) {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  lines.push(current ?? "");
  return lines;
}

/** Pieces of at most `width` columns, cut between characters. */
export function breakLine(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const pieces = [""];
  for (const { segment } of listSegments(line)) {
    const longer = `${pieces.at(-1) ?? ""}${segment}`;
    if (displayWidth(longer) > width && pieces.at(-1) !== "") pieces.push(segment);
    else pieces[pieces.length - 1] = longer;
  }
  return pieces;
}

const plain = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | undefined;

/** The segments that a reader sees as one character. Most texts are plain, and making a segmenter takes 8 ms. */
function listSegments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}
const nothing = /^[\p{M}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/u;
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;

function measureWidth(grapheme: string): number {
  if (nothing.test(grapheme)) return 0;
  return wide.test(grapheme) || grapheme.includes("\ufe0f") ? 2 : 1;
}
