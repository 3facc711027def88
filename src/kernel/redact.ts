/** Takes secrets out of a text. */
export interface Redact {
  (text: string): string;
  /** For a text that comes in pieces. Absent: each piece is taken for a whole text. */
  readonly stream?: () => RedactStream;
  /** One more secret to take out from now on. Absent: a secret that a tool is given stays in what it shows. */
  readonly learn?: (name: string, value: string) => void;
}

/** A redactor that can be given more secrets, and text in pieces. */
export interface Redactor extends Redact {
  readonly stream: () => RedactStream;
  readonly learn: (name: string, value: string) => void;
}

/** Takes secrets out of a text that comes in pieces: joined, what it gives is what `redact` gives for the whole. */
export interface RedactStream {
  /** The text up to here, without an ending that may be the beginning of a secret. */
  push(piece: string): string;
  /** What was held back. `isCut`: the text was to go on, so the beginning of a secret is taken for one. */
  end(isCut: boolean): string;
}

/** Shorter values would take ordinary words out of every output. */
export const shortestSecret = 8;

/**
 * Replaces each secret by `[redacted:NAME]`, wherever it stands: as it is, in base64 and base64url (also within a
 * longer encoded text), in hex, percent-encoded, or escaped in JSON. Values under 8 characters are not looked for.
 * It knows `secrets` as they are now; `learn` adds to them, and nothing is ever forgotten.
 */
export function createRedactor(secrets: ReadonlyMap<string, string>): Redactor {
  const forms = new SecretForms();
  for (const [name, value] of secrets) forms.add(name, value);
  return Object.assign((text: string) => forms.redact(text), {
    stream: () => forms.stream(),
    learn: (name: string, value: string) => forms.add(name, value),
  });
}

/** What `first` takes out, and then what `second` does, which is the one that learns. */
export function chainRedact(first: Redactor, second: Redact | undefined): Redact {
  if (second === undefined) return first;
  const { stream, learn } = second;
  const openStream = (): RedactStream => {
    const before = first.stream();
    const after: RedactStream = stream?.() ?? { push: second, end: () => "" };
    return {
      push: (piece) => after.push(before.push(piece)),
      end: (isCut) => after.push(before.end(isCut)) + after.end(isCut),
    };
  };
  return Object.assign((text: string) => second(first(text)), {
    stream: openStream,
    ...(learn !== undefined && { learn }),
  });
}

/** Where secrets can't be looked for, nothing is shown. */
export function neverFailing(redact: Redact): Redact {
  const orNothing = (act: () => string): string => {
    try {
      return act();
    } catch {
      return "[withheld: it could not be searched for secrets]";
    }
  };
  const { stream, learn } = redact;
  const openStream = (open: () => RedactStream): RedactStream => {
    const opened = open();
    return {
      push: (piece) => orNothing(() => opened.push(piece)),
      end: (isCut) => orNothing(() => opened.end(isCut)),
    };
  };
  return Object.assign((text: string) => orNothing(() => redact(text)), {
    ...(stream !== undefined && { stream: () => openStream(stream) }),
    ...(learn !== undefined && { learn }),
  });
}

interface Found {
  readonly index: number;
  readonly form: string;
  readonly mark: string;
}

/** All that is looked for. A pattern finds where a form may begin, by its first characters; then it is compared. */
class SecretForms {
  readonly #marks = new Map<string, string>();
  /** By their first characters, the longest first. */
  #byBeginning = new Map<string, string[]>();
  #byFirst = new Map<string, string[]>();
  #longest = 0;
  /** Made anew after each new secret. */
  #pattern: RegExp | undefined;

  add(name: string, value: string): void {
    if (value.length < shortestSecret) return;
    // The mark may come to stand in JSON, and must leave it JSON.
    const mark = `[redacted:${JSON.stringify(name).slice(1, -1).replace(/\\./g, "/")}]`;
    for (const form of formsOf(value)) {
      if (form.length < shortestSecret || this.#marks.get(form) === mark) continue;
      this.#marks.set(form, mark);
      this.#pattern = undefined;
    }
  }

  redact(text: string): string {
    let shown = "";
    let at = 0;
    for (;;) {
      const found = this.#find(text, at);
      if (found === undefined) return at === 0 ? text : shown + text.slice(at);
      shown += text.slice(at, found.index) + found.mark;
      at = found.index + found.form.length;
    }
  }

  stream(): RedactStream {
    let pending = "";
    return {
      push: (piece) => {
        const { shown, rest } = this.#settle(pending + piece);
        pending = rest;
        return shown;
      },
      end: (isCut) => {
        const rest = pending;
        pending = "";
        return isCut && rest.length >= shortestSecret ? this.#markOfBeginning(rest) : this.redact(rest);
      },
    };
  }

  /** Splits a text where nothing that follows can change what is shown of the part before. */
  #settle(text: string): { readonly shown: string; readonly rest: string } {
    let shown = "";
    let at = 0;
    for (;;) {
      const cut = this.#startOfEnding(text, at);
      const found = this.#find(text, at);
      if (found === undefined || found.index >= cut)
        return { shown: shown + text.slice(at, cut), rest: text.slice(cut) };
      shown += text.slice(at, found.index) + found.mark;
      at = found.index + found.form.length;
    }
  }

  /** The first form at `from` or later; of those that begin there, the longest. */
  #find(text: string, from: number): Found | undefined {
    const pattern = this.#compiled();
    if (pattern === undefined) return undefined;
    pattern.lastIndex = from;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const { index, 0: beginning } = match;
      const form = this.#byBeginning.get(beginning)?.find((candidate) => text.startsWith(candidate, index));
      if (form !== undefined) return { index, form, mark: this.#marks.get(form) as string };
      pattern.lastIndex = index + 1;
    }
    return undefined;
  }

  /** Where the longest ending begins that is the beginning of a form, at `from` or later. */
  #startOfEnding(text: string, from: number): number {
    if (this.#compiled() === undefined) return text.length;
    for (let start = Math.max(from, text.length - this.#longest + 1); start < text.length; start++) {
      const candidates = this.#byFirst.get(text.charAt(start));
      if (candidates === undefined) continue;
      const ending = text.slice(start);
      if (candidates.some((form) => form.length > ending.length && form.startsWith(ending))) return start;
    }
    return text.length;
  }

  #markOfBeginning(beginning: string): string {
    for (const [form, mark] of this.#marks) if (form.startsWith(beginning)) return mark;
    return beginning;
  }

  #compiled(): RegExp | undefined {
    if (this.#pattern !== undefined || this.#marks.size === 0) return this.#pattern;
    const forms = [...this.#marks.keys()].sort((a, b) => b.length - a.length);
    this.#longest = forms[0]?.length ?? 0;
    this.#byFirst = Map.groupBy(forms, (form) => form.charAt(0));
    this.#byBeginning = Map.groupBy(forms, (form) => form.slice(0, shortestSecret));
    const beginnings = [...this.#byBeginning.keys()];
    this.#pattern = new RegExp(
      beginnings.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"),
      "g",
    );
    return this.#pattern;
  }
}

function* formsOf(secret: string): Generator<string> {
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
  yield* percentFormsOf(secret.toWellFormed());
  const bytes = new TextEncoder().encode(secret);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  yield hex;
  yield hex.toUpperCase();
  yield* base64FormsOf(bytes);
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As a component, as strict readers of RFC 3986 write it, and as a form field; the hex digits in either case. */
function* percentFormsOf(secret: string): Generator<string> {
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

function* base64FormsOf(bytes: Uint8Array): Generator<string> {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
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
