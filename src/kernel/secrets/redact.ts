import { EncodedSecrets, encodings } from "./encoded-secrets.ts";
import { FormIndex } from "./form-index.ts";
import type { Redact, Redactor, RedactStream } from "./redactor.ts";
import { listPlainForms } from "./secret-forms.ts";

/**
 * Replaces each secret by `[redacted:NAME]`, wherever it stands: as it is, in base64 and base64url (also within a
 * longer encoded text), in hex, percent-encoded, or escaped in JSON; and, where a text looks encoded, in base64 that
 * is broken into lines, in hex with separators, in base32, in UTF-16, and with any of its characters escaped. Values
 * under 8 characters are not looked for. It knows `secrets` as they are now; `learn` adds to them, and nothing is
 * ever forgotten.
 *
 * @example
 * ```ts
 * const redact = createRedactor(new Map([["API_KEY", "s3cr3t-of-ada"]]));
 * redact("Bearer s3cr3t-of-ada"); // → "Bearer [redacted:API_KEY]"
 * redact(encodeURIComponent("key=s3cr3t-of-ada")); // → "key%3D[redacted:API_KEY]"
 * ```
 */
export function createRedactor(secrets: ReadonlyMap<string, string>): Redactor {
  const finders = [new PlainSecrets(), ...encodings.map((encoding) => new EncodedSecrets(encoding))];
  const learn = (name: string, value: string) => {
    for (const finder of finders) finder.learn(name, value);
  };
  for (const [name, value] of secrets) learn(name, value);
  return Object.assign((text: string) => finders.reduce((shown, finder) => finder.redact(shown), text), {
    stream: () => finders.map((finder) => finder.stream()).reduce(chainStreams),
    learn,
  });
}

/** A stream through `first`, and what it gives through `second`. */
function chainStreams(first: RedactStream, second: RedactStream): RedactStream {
  return {
    push: (piece) => second.push(first.push(piece)),
    end: (isCut) => second.push(first.end(isCut)) + second.end(isCut),
  };
}

/** What `first` takes out, and then what `second` does, which is the one that learns. */
export function chainRedact(first: Redactor, second: Redact | undefined): Redact {
  if (second === undefined) return first;
  const { stream, learn } = second;
  const openStream = () => chainStreams(first.stream(), stream?.() ?? { push: second, end: () => "" });
  return Object.assign((text: string) => second(first(text)), {
    stream: openStream,
    ...(learn !== undefined && { learn }),
  });
}

/** Makes a redaction that never throws: if secrets can't be looked for, nothing is shown. */
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

/** Finds secrets in the forms that stand in a text without a break. */
class PlainSecrets {
  readonly #forms = new FormIndex(listPlainForms);

  learn(name: string, value: string): void {
    this.#forms.add(name, value);
  }

  redact(text: string): string {
    let shown = "";
    let at = 0;
    for (;;) {
      const found = this.#forms.find(text, at);
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
        return (isCut ? this.#forms.markOfBeginning(rest) : undefined) ?? this.redact(rest);
      },
    };
  }

  /** Splits a text where nothing that follows can change what is shown of the part before. */
  #settle(text: string): { readonly shown: string; readonly rest: string } {
    let shown = "";
    let at = 0;
    for (;;) {
      const cut = this.#forms.startOfEnding(text, at);
      const found = this.#forms.find(text, at);
      if (found === undefined || found.index >= cut)
        return { shown: shown + text.slice(at, cut), rest: text.slice(cut) };
      shown += text.slice(at, found.index) + found.mark;
      at = found.index + found.form.length;
    }
  }
}
