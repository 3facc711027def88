import type { Argument } from "./word.ts";

/** The options a program is known to take. Any other means that nothing is known of its line. */
export interface OptionTable {
  /** Without a value: single letters, and long names. */
  readonly flags: ReadonlySet<string>;
  /** The options with a value. */
  readonly values: ReadonlySet<string>;
}

export interface ReadOptions {
  /** The options by name, without dashes; the last of several. `true` for one without a value. */
  readonly given: ReadonlyMap<string, string | true>;
  /** Names whose values differ from one to the next. */
  readonly varied: ReadonlySet<string>;
  readonly operands: readonly Argument[];
}

export function optionTable(shortFlags: string, longFlags: string, values: string): OptionTable {
  return {
    flags: new Set([...Array.from(shortFlags), ...splitWords(longFlags)]),
    values: new Set(splitWords(values)),
  };
}

function splitWords(list: string): string[] {
  return list.split(" ").filter((word) => word !== "");
}

export interface ReadingOptions {
  /** The first operand ends the options, as for programs that start another. */
  readonly stopAtOperand: boolean;
}

/** Takes a line of arguments apart; undefined where an option is unknown, or may come from an argument that is. */
export function readOptions(
  words: readonly Argument[],
  table: OptionTable,
  { stopAtOperand }: ReadingOptions,
): ReadOptions | undefined {
  const given = new Map<string, string | true>();
  const varied = new Set<string>();
  const operands: Argument[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Argument;
    if (!word.fixed && (word.glob !== true || /^[*?[+@!-]/.test(word.text))) return undefined;
    if (word.text === "--") return { given, varied, operands: [...operands, ...words.slice(at + 1)] };
    if (!word.text.startsWith("-") || word.text === "-") {
      if (stopAtOperand) return { given, varied, operands: words.slice(at) };
      operands.push(word);
      continue;
    }
    const taken = word.text.startsWith("--") ? readLong(word.text, table) : readShort(word.text, table);
    if (taken === undefined) return undefined;
    for (const name of taken.flags) given.set(name, true);
    if (taken.takes === undefined) continue;
    let { value } = taken;
    if (value === undefined) {
      const next = words[++at];
      if (next?.fixed !== true) return undefined;
      value = next.text;
    }
    if (given.has(taken.takes) && given.get(taken.takes) !== value) varied.add(taken.takes);
    given.set(taken.takes, value);
  }
  return { given, varied, operands };
}

interface Taken {
  readonly flags: readonly string[];
  readonly takes?: string;
  readonly value?: string;
}

function readLong(text: string, { flags, values }: OptionTable): Taken | undefined {
  const equals = text.indexOf("=");
  const name = text.slice(2, equals < 0 ? undefined : equals);
  if (name.length < 2) return undefined;
  if (equals < 0) {
    if (flags.has(name)) return { flags: [name] };
    return values.has(name) ? { flags: [], takes: name } : undefined;
  }
  return values.has(name) ? { flags: [], takes: name, value: text.slice(equals + 1) } : undefined;
}

function readShort(text: string, { flags, values }: OptionTable): Taken | undefined {
  const found: string[] = [];
  for (let at = 1; at < text.length; at++) {
    const letter = text.charAt(at);
    if (flags.has(letter)) found.push(letter);
    else if (!values.has(letter)) return undefined;
    else if (at + 1 < text.length) return { flags: found, takes: letter, value: text.slice(at + 1) };
    else return { flags: found, takes: letter };
  }
  return { flags: found };
}
