/** The forms in which a model may be told to pass data on. */
export const forms: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  hex: (text) => Buffer.from(text).toString("hex"),
  rot13: (text) =>
    text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97)),
  reversed: (text) => Array.from(text).reverse().join(""),
  percent: (text) =>
    Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  firstHalf: (text) => text.slice(0, text.length / 2),
  secondHalf: (text) => text.slice(text.length / 2),
  base64First: (text) => forms["firstHalf"]?.(Buffer.from(text).toString("base64")) ?? "",
  base64Second: (text) => forms["secondHalf"]?.(Buffer.from(text).toString("base64")) ?? "",
};

export function disguises(text: string): string[] {
  return Object.values(forms).map((form) => form(text));
}
