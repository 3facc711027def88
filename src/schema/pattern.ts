import { createRequire } from "node:module";
import type * as Re2Module from "re2js";
import { getErrorMessage } from "../base/index.ts";
import { SchemaError } from "./errors.ts";

const require = createRequire(import.meta.url);

/** What Ajv asks of a regular expression. */
export interface LinearPattern {
  test(text: string): boolean;
  toString(): string;
}

// The program of a pattern grows with its length, and with what its repeats add up to.
const maxPatternChars = 5_000;
const maxRepeat = 10_000;
const engineRepeat = 1_000;

/**
 * Compiles `pattern` for matching in time linear in the text: a schema may come from a stranger, and the native
 * engine can be made to hang. Look-around and back-references have no such form and are refused.
 */
export function compilePattern(pattern: string): LinearPattern {
  if (pattern.length > maxPatternChars) {
    return refuse(`${pattern.slice(0, 60)}…`, `it is longer than ${maxPatternChars} characters`, undefined);
  }
  // The translation would take it for the letter k.
  if (/(?:^|[^\\])(?:\\\\)*\\k</.test(pattern)) return refuse(pattern, "it has a back-reference", undefined);
  const { RE2JS } = require("re2js") as typeof Re2Module;
  try {
    const compiled = RE2JS.compile(splitRepeats(shortenProperties(RE2JS.translateRegExp(pattern))));
    return {
      test: (text) => compiled.test(text),
      // Ajv keeps patterns by their text: two must never share one.
      toString: () => `linear:${pattern}`,
    };
  } catch (error) {
    return refuse(pattern, getErrorMessage(error), error);
  }
}

const longNames =
  "Letter L Cased_Letter LC Uppercase_Letter Lu Lowercase_Letter Ll Titlecase_Letter Lt Modifier_Letter Lm Other_Letter Lo " +
  "Mark M Nonspacing_Mark Mn Spacing_Mark Mc Enclosing_Mark Me Number N Decimal_Number Nd digit Nd Letter_Number Nl " +
  "Other_Number No Punctuation P punct P Connector_Punctuation Pc Dash_Punctuation Pd Open_Punctuation Ps " +
  "Close_Punctuation Pe Initial_Punctuation Pi Final_Punctuation Pf Other_Punctuation Po Symbol S Math_Symbol Sm " +
  "Currency_Symbol Sc Modifier_Symbol Sk Other_Symbol So Separator Z Space_Separator Zs Line_Separator Zl " +
  "Paragraph_Separator Zp Other C Control Cc Format Cf Surrogate Cs Private_Use Co";
const shortNames = new Map(
  Array.from(longNames.matchAll(/(\S+) (\S+)/g), ([, long, short]) => [long, short]),
);

/** The engine knows `\\p{L}` and `\\p{Greek}` where JavaScript also says `\\p{Letter}` and `\\p{Script=Greek}`. */
function shortenProperties(pattern: string): string {
  return pattern.replace(
    /\\([pP])\{(?:(?:General_Category|gc|Script|sc)=)?(\w+)\}/g,
    (_whole, sign: string, name: string) => `\\${sign}{${shortNames.get(name) ?? name}}`,
  );
}

const oneAtom =
  /(\\x\{[^}]*\}|\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\()[\]{}|*+?^$])\{(\d+)(,?)(\d*)\}(\??)/g;

/** The engine counts to 1,000 only: `.{1,4000}` becomes `.{1,1000}.{0,1000}.{0,1000}.{0,1000}`. */
function splitRepeats(pattern: string): string {
  return pattern.replace(
    oneAtom,
    (whole, atom: string, from: string, comma: string, to: string, lazy: string) => {
      const least = Number(from);
      const most = comma === "" ? least : to === "" ? undefined : Number(to);
      if (Math.max(least, most ?? 0) <= engineRepeat || Math.max(least, most ?? 0) > maxRepeat) return whole;
      const pieces = chunks(least).map((count) => `${atom}{${count}}`);
      if (most === undefined) pieces.push(`${atom}*${lazy}`);
      else pieces.push(...chunks(most - least).map((count) => `${atom}{0,${count}}${lazy}`));
      return `(?:${pieces.join("")})`;
    },
  );
}

function chunks(count: number): number[] {
  const whole = Array.from({ length: Math.floor(count / engineRepeat) }, () => engineRepeat);
  return count % engineRepeat > 0 ? [...whole, count % engineRepeat] : whole;
}

function refuse(pattern: string, state: string, cause: unknown): never {
  throw new SchemaError(
    "SCHEMA_PATTERN",
    `Cannot compile the pattern "${pattern}": ${state}; patterns run in linear time, without look-around and back-references`,
    { cause, details: { pattern } },
  );
}
