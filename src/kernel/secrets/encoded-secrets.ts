import { Alphabet, DecodedText, type Stretch } from "./encoded-text.ts";
import { FormIndex } from "./form-index.ts";
import type { RedactStream } from "./redactor.ts";
import { listBase32Forms, listBase64Forms, listHexForms, listUnescapedForms } from "./secret-forms.ts";

/** How a text is written that is no secret to a reader, but is one once its breaks are gone or its escapes are read. */
interface Encoding {
  /** What a secret reads as then. */
  readonly listForms: (secret: string) => Iterable<string>;
  /**
   * Whether a part of a text looks written so, `least` characters or more. It is asked of every text, and must be
   * quick.
   */
  readonly isIn: (text: string, from: number, least: number) => boolean;
  /** The parts that do; no secret is longer than `most` there. Absent: all of the text. */
  readonly stretchesIn?: (text: string, from: number, least: number, most: number) => Iterable<Stretch>;
  /** The start of the ending that may be a part of such a stretch. Absent: anywhere. */
  readonly endingIn?: (text: string, from: number) => number;
  /** The gaps and escapes. */
  readonly pattern: RegExp;
  /** What an escape reads as. Absent: there are only gaps. */
  readonly decode?: (escape: string) => string;
  /** The letters' case does not matter: the forms are in small letters. */
  readonly foldsCase?: true;
  /** An ending that may be the beginning of a gap or an escape. */
  readonly unfinished?: RegExp;
  /** How many characters the pattern looks back at. @default 0 */
  readonly looksBack?: number;
}

function readEscape(escape: string): string {
  if (escape === "\0") return "";
  const code = Number.parseInt(escape.slice(escape.lastIndexOf("u") >= 0 ? -4 : -2), 16);
  return code > 0 ? String.fromCharCode(code) : "";
}

/** The forms as they are, and escaped in JSON. */
const breaks = " \t\r\n\\nr";
const hexAlphabet = new Alphabet("0123456789abcdefABCDEF", `:,-x${breaks}`);
const base32Alphabet = new Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", breaks);
/** How much of base64 stands before a line break: what words of ordinary text seldom are. */
const leastBase64 = 12;
/** Blanks that a line of base64 is indented by at most. */
const mostIndent = 64;

/** A line break after 12 characters of base64, as it is or escaped in JSON, and what the next line is indented by. */
const base64Break =
  /[\r\n\\](?<=[\w+/-]{12}[\r\n\\])(?:(?<=\r)\n|(?<=\n)|(?<=\\)\\{0,3}(?:r\\{1,4})?n)[ \t]{0,64}/g;
const base64Alphabet = new Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_");

export const encodings: readonly Encoding[] = [
  {
    listForms: listUnescapedForms,
    isIn: isEscaped,
    pattern: /%[\da-fA-F]{2}|\\{1,4}(?:u[\da-fA-F]{4}|x[\da-fA-F]{2})|\0/g,
    decode: readEscape,
    unfinished: /(?:%[\da-fA-F]?|\\{1,4}(?:u[\da-fA-F]{0,3}|x[\da-fA-F]?)?)$/,
  },
  {
    listForms: listBase64Forms,
    isIn: (text) => hasLineBreak(text) && base64BreaksIn(text, 0).next().done !== true,
    stretchesIn: aroundBase64Breaks,
    pattern: base64Break,
    unfinished: /(?:\r|\\{1,4}(?:r\\{0,4})?)$/,
    looksBack: 13,
  },
  {
    listForms: listHexForms,
    isIn: (text, from, least) => hexAlphabet.indexIn(text, from, least) >= 0,
    stretchesIn: (text, from, least) => hexAlphabet.stretchesIn(text, from, least),
    endingIn: (text, from) => hexAlphabet.endingIn(text, from),
    pattern: /0x|[^\da-fA-F]+/g,
    foldsCase: true,
    unfinished: /0$/,
  },
  {
    listForms: listBase32Forms,
    isIn: (text, from, least) => base32Alphabet.indexIn(text, from, least) >= 0,
    stretchesIn: (text, from, least) => base32Alphabet.stretchesIn(text, from, least),
    endingIn: (text, from) => base32Alphabet.endingIn(text, from),
    pattern: /[^A-Z2-7]+/g,
  },
];

const anyEscape = /\\[ux][\da-fA-F]{2}/;
const anyPercent = /%[\da-fA-F]{2}/;

function isEscaped(text: string): boolean {
  if (text.includes("%") && anyPercent.test(text)) return true;
  if ((text.includes("\\u") || text.includes("\\x")) && anyEscape.test(text)) return true;
  return text.includes("\0");
}

function hasLineBreak(text: string): boolean {
  return text.includes("\n") || text.includes("\\n");
}

/** The line breaks, as they are or escaped in JSON, behind 12 characters of base64. */
function* base64BreaksIn(text: string, from: number): Generator<Stretch, void> {
  let [plain, escaped] = [text.indexOf("\n", from), text.indexOf("\\n", from)];
  while (plain >= 0 || escaped >= 0) {
    const isPlain = escaped < 0 || (plain >= 0 && plain < escaped);
    const at = isPlain ? plain : escaped;
    if (isPlain) plain = text.indexOf("\n", at + 1);
    else escaped = text.indexOf("\\n", at + 2);
    let start = at;
    while (start > at - mostBreakChars && "\\\r".includes(text.charAt(start - 1))) start--;
    if (text.charAt(start - 1) === "r" && text.charAt(start - 2) === "\\")
      for (start--; start > at - mostBreakChars && text.charAt(start - 1) === "\\"; start--);
    let first = start;
    while (first > start - leastBase64 && base64Alphabet.has(text.charCodeAt(first - 1))) first--;
    if (first === start - leastBase64) yield { start, end: at + 2 };
  }
}

/** The parts of a text in which something that goes over such a line break can stand, `most` characters long at most. */
function* aroundBase64Breaks(
  text: string,
  from: number,
  _least: number,
  most: number,
): Generator<Stretch, void> {
  let part: Stretch | undefined;
  for (const { start, end } of base64BreaksIn(text, from)) {
    const around = {
      start: Math.max(from, start - most),
      end: Math.min(text.length, end + mostIndent + most),
    };
    if (part === undefined || around.start > part.end) {
      if (part !== undefined) yield part;
      part = around;
    } else part = { start: part.start, end: around.end };
  }
  if (part !== undefined) yield part;
}

interface FoundSecret extends Stretch {
  readonly mark: string;
}

/** Finds secrets in one encoding, where a text looks as if it were written in it; only what encodes one is replaced. */
export class EncodedSecrets {
  readonly #encoding: Encoding;
  readonly #forms: FormIndex;

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
    this.#forms = new FormIndex(encoding.listForms);
  }

  learn(name: string, value: string): void {
    this.#forms.add(name, value);
  }

  redact(text: string): string {
    return this.#looksEncoded(text, 0) ? this.#redactFrom(text, 0) : text;
  }

  stream(): RedactStream {
    let before = "";
    let pending = "";
    return {
      push: (piece) => {
        const text = before + pending + piece;
        const { shown, cut } = this.#settle(text, before.length);
        before = text.slice(Math.max(0, cut - (this.#encoding.looksBack ?? 0)), cut);
        pending = text.slice(cut);
        return shown;
      },
      end: (isCut) => {
        const text = before + pending;
        const from = before.length;
        before = "";
        pending = "";
        return (isCut ? this.#markOfBeginning(text, from) : undefined) ?? this.#redactFrom(text, from);
      },
    };
  }

  #redactFrom(text: string, from: number): string {
    let shown = "";
    let at = from;
    for (const { start, end, mark } of this.#findsIn(text, from)) {
      shown += text.slice(at, start) + mark;
      at = end;
    }
    return at === 0 ? text : shown + text.slice(at);
  }

  /** What is shown of a text from `from` to where nothing that follows can change it, which is `cut`. */
  #settle(text: string, from: number): { readonly shown: string; readonly cut: number } {
    let shown = "";
    let at = from;
    let cut = this.#startOfEnding(text, at);
    for (const { start, end, mark } of this.#findsIn(text, from)) {
      if (start >= cut) break;
      shown += text.slice(at, start) + mark;
      at = end;
      if (at > cut) cut = this.#startOfEnding(text, at);
    }
    return { shown: shown + text.slice(at, cut), cut };
  }

  #looksEncoded(text: string, from: number): boolean {
    return !this.#forms.isEmpty && this.#encoding.isIn(text, from, this.#forms.shortest);
  }

  *#findsIn(text: string, from: number): Generator<FoundSecret, void> {
    if (!this.#looksEncoded(text, from)) return;
    const { stretchesIn } = this.#encoding;
    for (const { start, end } of stretchesIn?.(text, from, this.#forms.shortest, this.#forms.longest) ?? [
      { start: from, end: text.length },
    ]) {
      const decoded = this.#decode(text, start, end);
      let at = decoded.lengthBefore(start);
      for (let found = this.#forms.find(decoded.text, at); found !== undefined; ) {
        const { index, form, mark } = found;
        at = index + form.length;
        yield { start: decoded.findStart(index), end: decoded.findEnd(at - 1), mark };
        found = this.#forms.find(decoded.text, at);
      }
    }
  }

  /** Start of the longest ending that may go on to be a secret, at `from` or later. */
  #startOfEnding(text: string, from: number): number {
    if (this.#forms.isEmpty) return text.length;
    const { endingIn, unfinished } = this.#encoding;
    const most = Math.max(from, text.length - this.#forms.longest * mostPerChar);
    const start = endingIn?.(text, most) ?? most;
    if (start === text.length) return start;
    const open = unfinished?.exec(text.slice(-mostBreakChars));
    const whole = this.#startOfEndingUpTo(text, start, text.length);
    if (open === null || open === undefined) return whole;
    const closed = Math.max(start, text.length - open[0].length);
    return Math.min(whole, closed, this.#startOfEndingUpTo(text, start, closed));
  }

  #startOfEndingUpTo(text: string, from: number, end: number): number {
    const decoded = this.#decode(text, from, end);
    const at = this.#forms.startOfEnding(decoded.text, decoded.lengthBefore(from));
    return at === decoded.text.length ? text.length : decoded.findStart(at);
  }

  #markOfBeginning(text: string, from: number): string | undefined {
    const open = this.#encoding.unfinished?.exec(text.slice(from))?.[0].length ?? 0;
    const decoded = this.#decode(text, from, text.length - open);
    return this.#forms.markOfBeginning(decoded.text.slice(decoded.lengthBefore(from)));
  }

  /** A stretch of the text, and what stands so close before it that the pattern looks at it. */
  #decode(text: string, start: number, end: number): DecodedText {
    const { pattern, decode, foldsCase, looksBack = 0 } = this.#encoding;
    const first = Math.max(0, start - looksBack);
    const source = text.slice(first, end);
    return new DecodedText(foldsCase ? source.toLowerCase() : source, first, pattern, decode);
  }
}

/** No text in an encoding is longer than this for each character that it encodes. */
const mostPerChar = 24;
const mostBreakChars = 10;
