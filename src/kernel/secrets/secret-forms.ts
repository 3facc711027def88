/** The forms in which a secret stands in a text without a break. */
export function* listPlainForms(secret: string): Generator<string> {
  yield secret;
  const escaped = escapeJson(secret);
  yield escaped;
  yield escapeJson(escaped);
  // As other languages write JSON: every character in ASCII, slashes escaped.
  yield escaped.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  yield escaped.replaceAll("/", "\\/");
  yield* listPercentForms(secret.toWellFormed());
  const bytes = utf8(secret);
  const hex = toHex(bytes);
  yield hex;
  yield hex.toUpperCase();
  yield* listBase64Forms(secret);
  for (const form of base32FormsOfBytes(bytes)) yield form.toLowerCase();
}

/** What is left of an escaped secret once its escapes are read: characters, or the bytes of UTF-8. */
export function* listUnescapedForms(secret: string): Generator<string> {
  yield secret;
  yield escapeJson(secret);
  yield toBinary(utf8(secret));
}

/** Hex in small digits, of UTF-8 and both kinds of UTF-16. */
export function* listHexForms(secret: string): Generator<string> {
  for (const bytes of listByteForms(secret)) yield toHex(bytes);
}

/** Base64 and base64url of UTF-8 and both kinds of UTF-16. */
export function* listBase64Forms(secret: string): Generator<string> {
  for (const bytes of listByteForms(secret)) yield* encodeBase64Forms(bytes);
}

/** Base32 of UTF-8 and both kinds of UTF-16. */
export function* listBase32Forms(secret: string): Generator<string> {
  for (const bytes of listByteForms(secret)) yield* base32FormsOfBytes(bytes);
}

function* base32FormsOfBytes(bytes: Uint8Array): Generator<string> {
  const ofBytes = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  // A secret may begin at any of five places in a group of base32, as at any of three in one of base64.
  for (let shift = 0; shift < 5; shift++) {
    const zeros = 8 * shift;
    const bits = "0".repeat(zeros) + ofBytes;
    const groups = bits.match(/.{1,5}/g) ?? [];
    const digits = groups.map((five) => base32Digits[Number.parseInt(five.padEnd(5, "0"), 2)]);
    const whole = digits.join("").slice(Math.ceil(zeros / 5));
    yield whole;
    if (bits.length % 5 !== 0) yield whole.slice(0, -1);
  }
}

const base32Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function* listByteForms(secret: string): Generator<Uint8Array> {
  yield utf8(secret);
  for (const isLittle of [true, false]) yield utf16(secret, isLittle);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function utf16(text: string, isLittle: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), isLittle);
  return new Uint8Array(view.buffer);
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** One character for each byte. */
function toBinary(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return binary;
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Percent-encoding of a component, of a strict reader of RFC 3986 and of a form field; the hex digits in either case. */
function* listPercentForms(secret: string): Generator<string> {
  const component = encodeURIComponent(secret);
  const strict = component.replace(/[!'()*]/g, toPercent);
  const field = component.replace(/[!'()~]/g, toPercent).replaceAll("%20", "+");
  for (const form of [component, strict, field]) {
    yield form;
    yield form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  }
}

function toPercent(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

function* encodeBase64Forms(bytes: Uint8Array): Generator<string> {
  const binary = toBinary(bytes);
  // Base64 of a part of a longer text depends on where the part starts, modulo three bytes.
  for (const shift of [0, 1, 2]) {
    const encoded = btoa("\0".repeat(shift) + binary).replace(/=+$/, "");
    const whole = encoded.slice(shift === 0 ? 0 : shift + 1);
    const bits = (bytes.length + shift) * 8;
    // The last character is as here only where the longer text ends with the part.
    for (const form of bits % 6 === 0 ? [whole] : [whole, whole.slice(0, -1)]) {
      yield form;
      yield form.replaceAll("+", "-").replaceAll("/", "_");
    }
  }
}
