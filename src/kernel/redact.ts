/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** Shorter values would take ordinary words out of every output. */
const shortestSecret = 8;

/**
 * Replaces each secret by `[redacted:NAME]`, wherever it stands: as it is, in base64 (also within a longer
 * encoded text), percent-encoded, or escaped in JSON. Values under 8 characters are not looked for.
 */
export function createRedactor(secrets: ReadonlyMap<string, string>): Redact {
  const replacements = new Map<string, string>();
  for (const [name, value] of secrets) {
    if (value.length < shortestSecret) continue;
    for (const form of formsOf(value))
      if (form.length >= shortestSecret) replacements.set(form, `[redacted:${name}]`);
  }
  if (replacements.size === 0) return (text) => text;
  const pattern = new RegExp(
    [...replacements.keys()]
      .sort((a, b) => b.length - a.length)
      .map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"))
      .join("|"),
    "g",
  );
  return (text) => text.replace(pattern, (form) => replacements.get(form) as string);
}

function* formsOf(secret: string): Generator<string> {
  yield secret;
  yield encodeURIComponent(secret);
  yield JSON.stringify(secret).slice(1, -1);
  const bytes = new TextEncoder().encode(secret);
  // Base64 of a part of a longer text depends on where the part starts, modulo three bytes.
  for (const shift of [0, 1, 2]) {
    const encoded = btoa(String.fromCharCode(...new Uint8Array(shift), ...bytes));
    const inner = encoded.slice(shift === 0 ? 0 : shift + 1, Math.floor(((bytes.length + shift) * 8) / 6));
    yield inner;
    yield inner.replaceAll("+", "-").replaceAll("/", "_");
  }
}
