import { HostError } from "../../errors.ts";

/** A glob over relative paths with "/" between names. */
export interface GlobPattern {
  readonly matches: (path: string) => boolean;
  /** What the last name must look like, one glob per alternative; undefined where it may be anything. */
  readonly names: readonly string[] | undefined;
  /** The most names a matching path can have; undefined where `**` leaves it open. */
  readonly depth: number | undefined;
}

const maxAlternatives = 100;

/**
 * Compiles a glob: `*`, `?` and `[a-z]` within a name, `**` for any number of folders, `{a,b}` for alternatives, `\`
 * before a character that stands for itself. Matching takes time linear in the path for each star.
 */
export function parseGlob(pattern: string): GlobPattern {
  const alternatives = expandBraces(pattern).map((alternative) =>
    alternative.split("/").filter((name) => name !== "" && name !== "."),
  );
  if (alternatives.some((names) => names.length === 0 || names.includes(".."))) {
    throw new HostError(
      "SEARCH_PATTERN",
      `Cannot use the glob "${pattern}": it must name something below a folder; put ".." and folders into path`,
    );
  }
  const compiled = alternatives.map((names) => names.map(compileName));
  const last = alternatives.map((names) => names.at(-1) as string);
  const open = alternatives.some((names) => names.includes("**"));
  return {
    matches: (path) => {
      const names = path.split("/");
      return compiled.some((segments) => matchSequence(segments, names, isAnyFolders, matchName));
    },
    names: last.includes("**") ? undefined : last,
    depth: open ? undefined : Math.max(...alternatives.map((names) => names.length)),
  };
}

/** Splits a glob into the folders it spells out and the part that has wildcards, or the last name. */
export function splitGlob(pattern: string): { readonly folder: string; readonly rest: string } {
  const names = pattern.split("/");
  const wild = names.findIndex((name) => /[*?[\]{}\\]/.test(name));
  const at = wild === -1 ? names.length - 1 : wild;
  return {
    folder: names.slice(0, at).join("/") || (pattern.startsWith("/") && at > 0 ? "/" : ""),
    rest: names.slice(at).join("/"),
  };
}

type Segment = "**" | readonly Piece[];
type Piece = "*" | ((char: string) => boolean);

function isAnyFolders(segment: Segment): boolean {
  return segment === "**";
}

function matchName(segment: Segment, name: string): boolean {
  return segment !== "**" && matchSequence(segment, Array.from(name), (piece) => piece === "*", matchChar);
}

function matchChar(piece: Piece, char: string): boolean {
  return piece !== "*" && piece(char);
}

/** Matches one by one; a star takes as little as it can, and only the last one is ever taken back. */
function matchSequence<Part, Item>(
  pattern: readonly Part[],
  items: readonly Item[],
  isStar: (part: Part) => boolean,
  fits: (part: Part, item: Item) => boolean,
): boolean {
  let at = 0;
  let star = -1;
  let taken = 0;
  for (let item = 0; item < items.length; ) {
    const part = pattern[at];
    if (part !== undefined && isStar(part)) {
      star = at++;
      taken = item;
    } else if (part !== undefined && fits(part, items[item] as Item)) {
      at++;
      item++;
    } else if (star >= 0) {
      at = star + 1;
      item = ++taken;
    } else return false;
  }
  while (at < pattern.length && isStar(pattern[at] as Part)) at++;
  return at === pattern.length;
}

function compileName(name: string): Segment {
  if (name === "**") return "**";
  const pieces: Piece[] = [];
  const chars = Array.from(name);
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] as string;
    if (char === "*") {
      if (pieces.at(-1) !== "*") pieces.push("*");
    } else if (char === "?") pieces.push(() => true);
    else if (char === "\\" && at + 1 < chars.length) pieces.push(isChar(chars[++at] as string));
    else if (char === "[") {
      const end = chars.indexOf("]", chars[at + 1] === "!" || chars[at + 1] === "^" ? at + 3 : at + 2);
      if (end === -1) pieces.push(isChar(char));
      else {
        pieces.push(compileClass(chars.slice(at + 1, end)));
        at = end;
      }
    } else pieces.push(isChar(char));
  }
  return pieces;
}

function isChar(wanted: string): Piece {
  return (char) => char === wanted;
}

function compileClass(chars: readonly string[]): Piece {
  const negated = chars[0] === "!" || chars[0] === "^";
  const listed = negated ? chars.slice(1) : chars;
  const ranges: [string, string][] = [];
  for (let at = 0; at < listed.length; at++) {
    const from = listed[at] as string;
    const ranged = listed[at + 1] === "-" && at + 2 < listed.length;
    ranges.push([from, ranged ? (listed[at + 2] as string) : from]);
    if (ranged) at += 2;
  }
  return (char) => ranges.some(([from, to]) => char >= from && char <= to) !== negated;
}

function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const pending = [pattern];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const group = findGroup(next);
    if (group === undefined) done.push(next);
    else
      for (const option of group.options)
        pending.push(next.slice(0, group.start) + option + next.slice(group.end));
    if (done.length + pending.length > maxAlternatives) {
      throw new HostError(
        "SEARCH_PATTERN",
        `Cannot use the glob "${pattern}": it has more than ${maxAlternatives} alternatives; use fewer`,
      );
    }
  }
  return done;
}

/** The first `{a,b}` with its options, which may hold groups of their own. */
function findGroup(pattern: string): { start: number; end: number; options: string[] } | undefined {
  const options: string[] = [];
  let start = -1;
  let from = 0;
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") at++;
    else if (char === "{" && depth++ === 0) {
      start = at;
      from = at + 1;
    } else if (char === "," && depth === 1) {
      options.push(pattern.slice(from, at));
      from = at + 1;
    } else if (char === "}" && depth > 0 && --depth === 0) {
      options.push(pattern.slice(from, at));
      return { start, end: at + 1, options };
    }
  }
  return undefined;
}
