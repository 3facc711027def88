/** Writes each invisible character as a symbol or a code: `␛`, `⟨U+202E⟩`. */
export function writeHidden(text: string): string {
  return Array.from(text, writeOne).join("");
}

function writeOne(char: string): string {
  const code = char.codePointAt(0) as number;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
