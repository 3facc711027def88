import { type Address, addressesIn, bareHostsIn, foldLetters, hostAndParents } from "./address.ts";
import { commandPairs } from "./command-pairs.ts";
import { CharSet, isSpace, partsWith } from "./scan.ts";

/**
 * What of a text is so peculiar that finding it elsewhere means that it came from there. `phrase`: five words in a row.
 * `code`: three words in a row as commands have them. `pair`: a program and the word after it, which tell something of a
 * command only. `value`: a whole line, or what stands in quotes.
 */
export type PieceKind = "address" | "host" | "mail" | "path" | "token" | "phrase" | "code" | "pair" | "value";

/** A piece as a number of 53 bits. Equal pieces of one seed have equal keys. */
export type PieceKey = number;

/** Receives the pieces of a text one by one. Objects or a generator for them would cost more than finding them. */
export type VisitPiece = (kind: PieceKind, key: PieceKey) => void;

/** All pieces of a text in small letters; of addresses, those by which a longer one is known too. */
export function visitLearned(text: string, seed: number, visit: VisitPiece): void {
  for (const address of addressesIn(text)) {
    const { prefixes } = address;
    visit("address", toKey("address", address.whole, seed));
    for (const prefix of prefixes.slice(1).slice(-2)) visit("address", toKey("address", prefix, seed));
    for (const host of hostAndParents(address.host).slice(0, 2)) visit("host", toKey("host", host, seed));
  }
  for (const host of bareHostsIn(text)) visit("host", toKey("host", host, seed));
  for (const value of valuesIn(text)) visit("value", toKey("value", value, seed));
  visitWords(text, seed, visit);
  visitCommands(text, seed, visit);
}

/** The additional pieces of a command line, in which two words can form a whole command. */
export function visitCommands(text: string, seed: number, visit: VisitPiece): void {
  for (const pair of commandPairs(text)) visit("pair", toKey("pair", pair, seed));
}

/** All pieces of a text by which it could be known. */
export function visitFindable(text: string, seed: number, visit: VisitPiece): void {
  for (const address of addressesIn(text)) visitAddress(address, seed, visit);
  for (const bare of bareHostsIn(text))
    for (const host of hostAndParents(bare)) visit("host", toKey("host", host, seed));
  for (const value of linesIn(text)) visit("value", toKey("value", value, seed));
  visitWords(text, seed, visit);
}

/** The pieces by which an address could be known to come from a text, the most telling first. */
export function visitAddress(address: Address, seed: number, visit: VisitPiece): void {
  visit("address", toKey("address", address.whole, seed));
  for (const prefix of address.prefixes.slice(1)) visit("address", toKey("address", prefix, seed));
  for (const host of hostAndParents(address.host)) visit("host", toKey("host", host, seed));
}

/** The key of a piece that is a whole text. */
export function toKey(kind: PieceKind, text: string, seed: number): PieceKey {
  return new TextHash(kind, seed).add(text).key;
}

const quoted = /"([^"\n]{6,200})"|`([^`\n]{6,200})`|'([^'\n]{6,200})'/g;

/** What an argument could be the whole of. */
function* valuesIn(text: string): Generator<string, void> {
  yield* linesIn(text);
  for (const [, double, code, single] of text.matchAll(quoted)) {
    const value = (double ?? code ?? single ?? "").trim();
    if (value.length >= charsInValue && !mediaType.test(value)) yield value;
  }
}

/** Half of what programs send each other says one. */
const mediaType = /^(?:application|audio|font|image|message|multipart|text|video)\/[\w.+-]+(?:;|$)/;

const charsInValue = 6;
const maxCharsInValue = 200;

/** Lines without the sign that they begin with in lists, quotes and sessions of a shell. */
function* linesIn(text: string): Generator<string, void> {
  for (const line of text.split("\n")) {
    const value = line.trim().replace(/^(?:[-*>$#%]|\d+\.)\s+/, "");
    if (value.length >= charsInValue && value.length <= maxCharsInValue && !mediaType.test(value))
      yield value;
  }
}

function visitWords(text: string, seed: number, visit: VisitPiece): void {
  for (const mail of mailsIn(text)) visit("mail", toKey("mail", mail, seed));
  for (const part of partsWith(text, "/"))
    for (const [found] of part.matchAll(filePath)) {
      const path = found.replace(/[.+-]+$/, "");
      if (path.length >= 8 && !mediaType.test(path)) visit("path", toKey("path", path, seed));
    }
  for (const token of tokensIn(text)) visit("token", toKey("token", token, seed));
  visitPhrases(text, seed, visit);
  visitCode(text, seed, visit);
}

const filePath =
  /(?<![\p{L}\p{N}:/._~-])(?:(?:~|[\p{L}\p{N}_.-]+)(?:\/[\p{L}\p{N}_.@+-]+)+|(?:\/[\p{L}\p{N}_.@+-]+){2,})/gu;
const day = /^\d{4}-?\d\d-?\d\d(?:t\d\d)?$/;

const mailUser = /[\p{L}\p{N}._%+-]{1,64}$/u;
const mailHost = /^@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/u;

function* mailsIn(text: string): Generator<string, void> {
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const [host] = mailHost.exec(text.slice(at, at + 300)) ?? [];
    const [user] = host === undefined ? [] : (mailUser.exec(text.slice(Math.max(0, at - 64), at)) ?? []);
    if (host !== undefined && user !== undefined) yield foldLetters(user + host);
  }
}

const charsInToken = 8;

/** Tokens that hardly occur twice by chance: runs of letters, digits, `_` and `-`. */
export function* tokensIn(text: string): Generator<string, void> {
  for (let at = 0; at < text.length; ) {
    const start = at;
    let chars = 0;
    for (let size = tokenCharSize(text, at); size > 0; size = tokenCharSize(text, at)) {
      at += size;
      chars++;
    }
    if (chars >= charsInToken) {
      const token = text.slice(start, at);
      if (!isOrdinary(token)) yield token;
    }
    at++;
  }
}

/** How many units the character at `at` has; 0 where it is of no token. */
function tokenCharSize(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return isLetterOrDigit(unit | 0x20, unit) || unit === 0x5f || unit === 0x2d ? 1 : 0;
  if (Number.isNaN(unit)) return 0;
  const char = String.fromCodePoint(text.codePointAt(at) as number);
  return letterOrDigit.test(char) ? char.length : 0;
}

const letterOrDigit = /^[\p{L}\p{N}]$/u;

/** Whether the code unit is an ASCII letter in lower case, or a digit. */
function isLetterOrDigit(small: number, unit: number): boolean {
  return (small >= 0x61 && small <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
}

/** Groups of four as keys and serial numbers are written, with letters and digits in them: `abcd-1234-efgh-5678`. */
const groupedKey = /^(?=.*\d)(?=.*[a-z])(?:[a-z0-9]{4}[-_]){3,}[a-z0-9]{4}$/;

/** Words, numbers, and words and numbers joined: what a title, a slug or the name of a function is made of. */
function isOrdinary(token: string): boolean {
  if (token.length > 24) return /^[-_]+$/.test(token);
  if (lettersOnly.test(token)) return isWord(token);
  if (day.test(token)) return true;
  if (groupedKey.test(token)) return false;
  return token.split(/[-_]+/).every((part) => /^\d{0,6}$/.test(part) || isWord(part));
}

const lettersOnly = /^\p{L}+$/u;

function isWord(part: string): boolean {
  if (!/^\p{L}{1,16}\d?$/u.test(part) || /[bcdfghjklmnpqrstvwxz]{6}/.test(part)) return false;
  return part.length < lettersOfKey || !isLikeKey(part);
}

/** Minimum number of letters from which a word is checked for being pronounceable. */
const lettersOfKey = 12;

/** Whether letters do not form a word of any language: they have hardly a vowel, or pairs that no word has. */
function isLikeKey(letters: string): boolean {
  if (!/^[a-z]+$/.test(letters)) return false;
  const vowels = letters.replace(/[^aeiouy]/g, "").length;
  return (
    vowels * 5 < letters.length ||
    /q(?!u)|j[b-df-hj-np-tv-z]|z[b-df-hj-km-np-tvwx]|v[b-df-hj-npqtwxz]|[aeiou]{5}|[bcdfghjklmnpqrstvwxz]{5}/.test(
      letters,
    )
  );
}

const wordsInPhrase = 5;
const charsInPhrase = 16;

/**
 * The phrases of a text. Read by hand, as this is most of the work: one pass, and no text made for a word.
 */
function visitPhrases(text: string, seed: number, visit: VisitPiece): void {
  const words = new PhraseHash(seed);
  for (let at = 0; at < text.length; ) {
    if (!isWordUnit(text.charCodeAt(at))) {
      at++;
      continue;
    }
    const start = at;
    let low = wordSeed;
    let high = wordSeed;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (!isWordUnit(unit)) break;
      low = Math.imul(low ^ unit, 0x9e3779b1);
      high = Math.imul(high ^ unit, 0x5f356495);
    }
    const key = words.push(low, high, at - start);
    if (key !== undefined) visit("phrase", key);
  }
}

const wordSeed = 0x41c6ce57;

/** The last words, as a phrase: a ring of as many words as it has. */
class PhraseHash {
  readonly #seed: number;
  readonly #lows = new Int32Array(wordsInPhrase);
  readonly #highs = new Int32Array(wordsInPhrase);
  readonly #lengths = new Int32Array(wordsInPhrase);
  #next = 0;
  #words = 0;
  #chars = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  push(low: number, high: number, length: number): PieceKey | undefined {
    const at = this.#next;
    this.#chars += length - (this.#lengths[at] as number);
    this.#lows[at] = low;
    this.#highs[at] = high;
    this.#lengths[at] = length;
    this.#next = at + 1 === wordsInPhrase ? 0 : at + 1;
    if (this.#words < wordsInPhrase && ++this.#words < wordsInPhrase) return undefined;
    return this.#chars + wordsInPhrase - 1 >= charsInPhrase ? this.#key() : undefined;
  }

  #key(): PieceKey {
    let low = this.#seed;
    let high = ~this.#seed;
    for (let word = 0, at = this.#next; word < wordsInPhrase; word++) {
      low = Math.imul(low ^ (this.#lows[at] as number), 0x9e3779b1);
      low ^= low >>> 15;
      high = Math.imul(high ^ (this.#highs[at] as number), 0x5f356495);
      high ^= high >>> 13;
      at = at + 1 === wordsInPhrase ? 0 : at + 1;
    }
    return joinHalves(low, high);
  }
}

/** Letters and digits; beyond ASCII, all but the usual signs. */
function isWordUnit(unit: number): boolean {
  if (unit < 0x80) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
  return unit >= 0xc0 && !(unit >= 0x2000 && unit <= 0x2bff) && !(unit >= 0x3000 && unit <= 0x303f);
}

const wordsInCode = 3;
const charsInCode = 8;
const opening = new CharSet("`'\"([{");
const closing = new CharSet("`'\")]},;:.!?");

/** Three words in a row of a line, without the signs around each, if one of them looks like code. */
function visitCode(text: string, seed: number, visit: VisitPiece): void {
  const words = new CodeWords(text, seed);
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    if (isSpace(unit)) {
      if (unit === newLine) words.startLine();
      at++;
      continue;
    }
    let start = at;
    while (at < text.length && !isSpace(text.charCodeAt(at))) at++;
    let end = at;
    while (start < end && opening.has(text.charCodeAt(start))) start++;
    while (start < end && closing.has(text.charCodeAt(end - 1))) end--;
    const key = start === end ? undefined : words.push(start, end);
    if (key !== undefined) visit("code", key);
  }
}

const newLine = 0x0a;

/** The last three words of a line, each by where it starts and ends. */
class CodeWords {
  readonly #text: string;
  readonly #seed: number;
  readonly #words: CodeWord[];
  #count = 0;

  constructor(text: string, seed: number) {
    this.#text = text;
    this.#seed = seed;
    this.#words = Array.from({ length: wordsInCode }, () => ({ start: 0, end: 0, isLikeCode: false }));
  }

  startLine(): void {
    this.#count = 0;
  }

  /** Returns the key of the last three words, if they are telling. */
  push(start: number, end: number): PieceKey | undefined {
    const [first, second, third] = this.#words as [CodeWord, CodeWord, CodeWord];
    this.#words[0] = second;
    this.#words[1] = third;
    this.#words[2] = first;
    first.start = start;
    first.end = end;
    first.isLikeCode = isLikeCode(this.#text, start, end);
    if (++this.#count < wordsInCode) return undefined;
    const chars = end - start + (third.end - third.start) + (second.end - second.start) + wordsInCode - 1;
    if (chars < charsInCode || !(first.isLikeCode || second.isLikeCode || third.isLikeCode)) return undefined;
    return new TextHash("code", this.#seed)
      .add(this.#text, second.start, second.end)
      .add(" ")
      .add(this.#text, third.start, third.end)
      .add(" ")
      .add(this.#text, start, end).key;
  }
}

interface CodeWord {
  start: number;
  end: number;
  isLikeCode: boolean;
}

const signsOfCode = new CharSet("$/\\=&~@%^");
const hyphen = 0x2d;
const dot = 0x2e;

/** A word with a sign of code in it, an option, or a name with a dot in it. */
function isLikeCode(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (isSmallLetter(unit)) continue;
    if (signsOfCode.has(unit)) return true;
    if (unit === hyphen && at === start) {
      const next = text.charCodeAt(at + 1) === hyphen ? at + 2 : at + 1;
      if (next < end && isSmallLetter(text.charCodeAt(next))) return true;
    }
    if (unit === dot && at > start && at + 1 < end) {
      const before = text.charCodeAt(at - 1);
      const isNamed = isSmallLetter(before) || (before >= 0x30 && before <= 0x39);
      if (isNamed && isSmallLetter(text.charCodeAt(at + 1))) return true;
    }
  }
  return false;
}

function isSmallLetter(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a;
}

/** Two 32-bit hashes side by side, of a kind and everything that is added. */
class TextHash {
  #low: number;
  #high: number;

  constructor(kind: PieceKind, seed: number) {
    this.#low = 0xdeadbeef ^ seed;
    this.#high = 0x41c6ce57 ^ seed;
    this.add(kind).add(":");
  }

  add(text: string, start = 0, end: number = text.length): this {
    let low = this.#low;
    let high = this.#high;
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at);
      low = Math.imul(low ^ unit, 0x9e3779b1);
      high = Math.imul(high ^ unit, 0x5f356495);
    }
    this.#low = low;
    this.#high = high;
    return this;
  }

  get key(): PieceKey {
    return joinHalves(this.#low, this.#high);
  }
}

function joinHalves(first: number, second: number): PieceKey {
  const low = Math.imul(first ^ (first >>> 16), 0x85ebca6b) ^ Math.imul(second ^ (second >>> 13), 0xc2b2ae35);
  const high = Math.imul(second ^ (second >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return 0x100000000 * (high & 0x1fffff) + (low >>> 0);
}
