import type { Assignment, Word, WordPart } from "unbash";

/** The values of variables that loops give them, by name. */
export type LoopValues = ReadonlyMap<string, Argument>;

/** One argument as a program gets it, as far as that can be known before the line runs. */
export interface Argument {
  /** De-quoted where it is fixed; else as it is written. */
  readonly text: string;
  /** Exactly one argument with exactly this text. */
  readonly fixed: boolean;
  /** Not fixed only because it names the files that match a pattern. */
  readonly glob?: true;
  /** It is one of these files after the other, by the variable of a loop. */
  readonly each?: true;
  /** Begins with the home folder's `~`, unquoted. */
  readonly home?: true;
}

/** An argument that stands for itself. */
export function fixedArgument(text: string): Argument {
  return { text, fixed: true };
}

/** An argument that only the running program will see. */
export function unknownArgument(text: string): Argument {
  return { text, fixed: false };
}

/** @param values what variables stand for, where that is known */
export function readWord(word: Word, values?: LoopValues): Argument {
  const tilde = /^~[^/]*/.exec(word.text)?.[0];
  if (tilde !== undefined && tilde !== "~") return unknownArgument(word.text);
  const home = tilde === undefined ? {} : ({ home: true } as const);
  const { parts } = word;
  if (parts === undefined) return { text: word.value, fixed: true, ...home };
  const [only] = parts;
  const each = parts.length === 1 && only !== undefined ? toArgument(only, values) : undefined;
  if (each?.each === true) return each;
  let text = "";
  let glob = false;
  for (const part of parts) {
    const value = resolveText(part, values);
    if (value === undefined) return unknownArgument(word.text);
    if (part.type === "Glob") glob = true;
    text += value;
  }
  return glob ? { text: word.text, fixed: false, glob: true, ...home } : { text, fixed: true, ...home };
}

/** An assignment among the arguments, as of `export` and `env`. */
export function readAssignment(assignment: Assignment): Argument {
  const { value } = assignment;
  if (assignment.index !== undefined || value.type !== "Word") return unknownArgument(assignment.text);
  const read = readWord(value);
  if (!read.fixed || read.home === true) return unknownArgument(assignment.text);
  return fixedArgument(`${assignment.name}${assignment.append === true ? "+=" : "="}${read.text}`);
}

/** What a part of a word always is; undefined where the shell works it out. */
function resolveText(part: WordPart, values: LoopValues | undefined): string | undefined {
  // By its escapes it may be bytes that are no text.
  if (part.type === "AnsiCQuoted" && /[^\x20-\x7e\s]/.test(part.value) && part.text.includes("\\"))
    return undefined;
  if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted") {
    return part.value.includes("\0") ? undefined : part.value;
  }
  if (part.type === "DoubleQuoted" || part.type === "LocaleString") {
    let text = "";
    for (const inner of part.parts) {
      const value = inner.type === "Literal" ? inner.value : resolveValue(inner, values);
      if (value === undefined) return undefined;
      text += value;
    }
    return text;
  }
  if (part.type !== "Glob") return resolveValue(part, values);
  return part.kind === "bracket" && part.parts.some(({ type }) => type !== "Literal") ? undefined : part.text;
}

/** What a variable of a loop is, where that is one text. */
function resolveValue(part: WordPart, values: LoopValues | undefined): string | undefined {
  const value = toArgument(part, values);
  return value?.fixed === true ? value.text : undefined;
}

/** What a variable of a loop is; undefined for all that is not just its value. */
function toArgument(part: WordPart, values: LoopValues | undefined): Argument | undefined {
  if (part.type === "DoubleQuoted" && part.parts.length === 1)
    return toArgument(part.parts[0] as WordPart, values);
  if (part.type === "SimpleExpansion") return values?.get(part.text.slice(1));
  if (part.type !== "ParameterExpansion") return undefined;
  const { prefix, index, operation, parameter } = part;
  return prefix === undefined && index === undefined && operation === undefined
    ? values?.get(parameter)
    : undefined;
}

const plain = /^[A-Za-z0-9_@%+=:,./^-]+$/;

/**
 * The argument as it would be written so that a shell reads it as one word; what is not fixed stays as it is.
 */
export function quoteArgument({ text, fixed, home }: Argument): string {
  if (!fixed || plain.test(text)) return text;
  if (home === true) return text === "~" || plain.test(text.slice(1)) ? text : `~/${quote(text.slice(2))}`;
  return quote(text);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function quoteAll(words: readonly Argument[]): string {
  return words.map(quoteArgument).join(" ");
}
