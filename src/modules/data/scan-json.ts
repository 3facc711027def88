/** What can be told of a JSON text before it is parsed, in one pass that needs no stack. */
export interface JsonScan {
  /** Arrays and objects within each other. */
  readonly depth: number;
  /** The first few numbers that a 64-bit float can't hold: whole numbers it would change, and what lies beyond its range. */
  readonly inexactNumbers: readonly string[];
}

const mostNumbers = 3;
const mostShown = 40;

/** Scans JSON. Of a text that is not JSON it tells nothing of use, but it ends. */
export function scanJson(text: string): JsonScan {
  let depth = 0;
  let deepest = 0;
  const inexact = new Set<string>();
  const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '"') at = endOfString(text, at);
    else if (char === "[" || char === "{") deepest = Math.max(deepest, ++depth);
    else if (char === "]" || char === "}") depth--;
    else if (char === "-" || (char >= "0" && char <= "9")) {
      number.lastIndex = at;
      const token = number.exec(text)?.[0];
      if (token === undefined) continue;
      if (inexact.size < mostNumbers && isInexact(token)) inexact.add(token.slice(0, mostShown));
      at += token.length - 1;
    }
  }
  return { depth: deepest, inexactNumbers: [...inexact] };
}

/** The place of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x5c) at++;
    else if (unit === 0x22) return at;
  }
  return text.length;
}

function isInexact(token: string): boolean {
  if (token.length <= 15) return /[eE]/.test(token) && !Number.isFinite(Number(token));
  const value = Number(token);
  if (!Number.isFinite(value)) return true;
  return /^-?\d+$/.test(token) && BigInt(token) !== BigInt(value);
}
