import { getErrorMessage } from "../../base/index.ts";
import { SystemToolError } from "./errors.ts";

/** The first match at or after `from`. */
export type FindMatch = (
  text: string,
  from: number,
) => { readonly start: number; readonly end: number } | undefined;

export interface PatternOptions {
  readonly regex: boolean;
  readonly ignoreCase: boolean;
}

/** Compiles what is looked for; a regular expression runs in linear time whatever it is (RE2's syntax). */
export async function compileFinder(
  pattern: string,
  { regex, ignoreCase }: PatternOptions,
): Promise<FindMatch> {
  if (regex) return compileRegex(pattern, ignoreCase);
  if (!ignoreCase) {
    return (text, from) => {
      const start = text.indexOf(pattern, from);
      return start < 0 ? undefined : { start, end: start + pattern.length };
    };
  }
  // Nothing in it repeats, so nothing in it can take long.
  const literal = new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  return (text, from) => {
    literal.lastIndex = from;
    const match = literal.exec(text);
    return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
  };
}

async function compileRegex(pattern: string, ignoreCase: boolean): Promise<FindMatch> {
  const { RE2JS } = await import("re2js");
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return (text, from) => {
      const matcher = compiled.matcher(text);
      return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined;
    };
  } catch (cause) {
    throw new SystemToolError(
      "ARTIFACT_PATTERN",
      `Cannot search for the regular expression: ${getErrorMessage(cause)}; correct it (RE2's syntax has no look-around and no back-references)`,
      { cause },
    );
  }
}
