import { SourceError } from "../errors.ts";
import { type Choice, chosen, getValue, type Slot, type Value, type Values, type Word } from "./parts.ts";
import type { LinePart } from "./shell-line.ts";

/**
 * The words of one call. A value fills its word whatever it contains; a word with a value that is absent is left out;
 * of a list there is one word for each item.
 *
 * @throws {SourceError} COMMAND_VALUE for what no argument can hold.
 */
export function fillWords(words: readonly (Word | Choice<Word>)[], values: Values): string[] {
  return Array.from(chosen(words, values)).flatMap(({ pieces }) => fillWord(pieces, values));
}

function fillWord(pieces: Word["pieces"], values: Values): string[] {
  let texts = [""];
  for (const piece of pieces) {
    const added = typeof piece === "string" ? [piece] : listItems(values, piece.parameter);
    // A list stands in a word once: the words before it are one.
    texts = added.flatMap((text) => texts.map((before) => before + text));
  }
  return texts;
}

/**
 * The line of one call: every value is one quoted word, and of a list each item.
 *
 * @throws {SourceError} COMMAND_VALUE.
 */
export function fillLine(parts: readonly (LinePart | Choice<LinePart>)[], values: Values): string {
  return Array.from(chosen(parts, values), (part) =>
    "text" in part ? part.text : listItems(values, part.parameter).map(quote).join(" "),
  ).join("");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The texts of a value; none where it is absent. */
function listItems(values: Values, name: Slot["parameter"]): readonly string[] {
  const value = getValue(values, name);
  if (value === undefined) return [];
  const items: readonly Exclude<Value, readonly unknown[]>[] = Array.isArray(value) ? value : [value];
  const texts = items.map(String);
  if (texts.every(isValueText)) return texts;
  throw new SourceError(
    "COMMAND_VALUE",
    `Cannot use the value of "${name}": it has a null character or half of a character, which no argument can hold; leave that out`,
  );
}

/** One text for a value, its items with blanks between; undefined where it is absent. */
export function renderText(values: Values, name: string): string | undefined {
  return getValue(values, name) === undefined ? undefined : listItems(values, name).join(" ");
}

/** Whether an argument, and a variable, can hold it as it is. */
export function isValueText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
