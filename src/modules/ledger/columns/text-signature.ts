/** Bits of a signature. A call with 700 characters of text sets about a fifth of them. With fewer, more calls are read in vain. */
export const signatureBits = 2048;

const trigramChars = 3;

/**
 * The bits of a text: one for the hash of each trigram, without duplicates. A text that contains another one has all its
 * bits; the reverse need not hold. A to Z count as a to z.
 */
export function findBits(text: string): readonly number[] {
  const bits = new Set<number>();
  addBits(text, (bit) => bits.add(bit));
  return [...bits];
}

/** Calls `add` with each bit of a text, some of them more than once. */
export function addBits(text: string, add: (bit: number) => void): void {
  let a = 0;
  let b = 0;
  for (let at = 0; at < text.length; at++) {
    const c = toLower(text.charCodeAt(at));
    if (at >= trigramChars - 1) {
      const mixed = Math.imul(Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ c, 0xc2b2ae35);
      add(mixed >>> 21);
    }
    a = b;
    b = c;
  }
}

function toLower(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
