/** A set of characters, looked up by code unit. */
export class CharSet {
  readonly #ascii = new Uint8Array(0x80);
  readonly #others = new Set<number>();

  constructor(chars: string) {
    for (let at = 0; at < chars.length; at++) {
      const unit = chars.charCodeAt(at);
      if (unit < 0x80) this.#ascii[unit] = 1;
      else this.#others.add(unit);
    }
  }

  has(unit: number): boolean {
    return unit < 0x80 ? this.#ascii[unit] === 1 : this.#others.size > 0 && this.#others.has(unit);
  }
}

/** Whether a code unit is what `\s` is in a pattern. */
export function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return unit >= 0xa0 && wideSpace.test(String.fromCharCode(unit));
}

const wideSpace = /\s/;

/**
 * The parts between spaces that have `sign` in them. A pattern that needs the sign, and never goes over a space, finds
 * the same in them as in the whole text, in a fraction of the time.
 */
export function* partsWith(text: string, sign: string): Generator<string, void> {
  let from = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, from)) {
    let start = at;
    while (start > from && !isSpace(text.charCodeAt(start - 1))) start--;
    let end = at + sign.length;
    while (end < text.length && !isSpace(text.charCodeAt(end))) end++;
    yield text.slice(start, end);
    from = end;
  }
}
