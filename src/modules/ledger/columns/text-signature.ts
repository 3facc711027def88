/** Bits of a signature. A call with 700 characters of text sets about a fifth of them. */
export const signatureBits = 2048;

const gramChars = 3;

/**
 * The bits that the sequences of three characters in a text stand for, each once. A text that contains another has all
 * bits of that one; the reverse need not hold. Letters A to Z count as a to z.
 */
export function findBits(text: string): readonly number[] {
  const bits = new Set<number>();
  addBits(text, (bit) => bits.add(bit));
  return [...bits];
}

/** Calls `add` with the bits of a text; a bit can come more than once. */
export function addBits(text: string, add: (bit: number) => void): void {
  let a = 0;
  let b = 0;
  for (let at = 0; at < text.length; at++) {
    const c = toLower(text.charCodeAt(at));
    if (at >= gramChars - 1) {
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
