/**
 * Compiles a glob to a test, in linear time for any input: `*` matches within a path segment, `**` across
 * segments (`**` with a slash also matches nothing), `?` one character. Everything else stands for itself.
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  const literal = findLongestLiteral(pattern);
  if (literal === pattern) return (text) => text === pattern;
  // Most of an installation's hundreds of rules already fail at their literal part.
  let tokens: readonly Token[] | undefined;
  return (text) => {
    if (!text.includes(literal)) return false;
    tokens ??= tokenize(pattern);
    return matches(tokens, text);
  };
}

type Token =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "one" | "segment" | "any" | "dirs" };

function tokenize(pattern: string): Token[] {
  const tokens: Token[] = [];
  const chars = Array.from(pattern);
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] as string;
    if (char === "?") tokens.push({ kind: "one" });
    else if (char !== "*") tokens.push({ kind: "char", char });
    else if (chars[at + 1] !== "*") tokens.push({ kind: "segment" });
    else {
      at++;
      const atSegmentStart = at === 1 || chars[at - 2] === "/";
      if (atSegmentStart && chars[at + 1] === "/") {
        at++;
        tokens.push({ kind: "dirs" });
      } else tokens.push({ kind: "any" });
    }
  }
  return tokens;
}

/** A text without the longest literal part of the pattern can't match: most are told apart by that alone. */
function findLongestLiteral(pattern: string): string {
  let longest = "";
  // A `**` that begins a segment stands for the slash after it, too.
  for (const literal of pattern.split(/(?<![^/])\*\*\/|[*?]/))
    if (literal.length > longest.length) longest = literal;
  return longest;
}

/** Walks all positions of the pattern at once, so no input makes it go back. */
function matches(tokens: readonly Token[], text: string): boolean {
  let current = reach(tokens, new Set([0]), true);
  for (const char of text) {
    const next = new Set<number>();
    for (const position of current) {
      const token = tokens[position];
      if (token === undefined) continue;
      if (token.kind === "char") {
        if (token.char === char) next.add(position + 1);
      } else if (token.kind === "one") {
        if (char !== "/") next.add(position + 1);
      } else if (token.kind === "segment") {
        if (char !== "/") next.add(position);
      } else next.add(position);
    }
    if (next.size === 0) return false;
    current = reach(tokens, next, char === "/");
  }
  return current.has(tokens.length);
}

/** Adds the positions that can be reached without reading a character. */
function reach(tokens: readonly Token[], positions: Set<number>, afterSlash: boolean): Set<number> {
  for (const position of positions) {
    const kind = tokens[position]?.kind;
    if (kind === "segment" || kind === "any" || (kind === "dirs" && afterSlash)) positions.add(position + 1);
  }
  return positions;
}
