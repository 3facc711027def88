import { type Address, addressesIn, bareHostsIn, foldLetters, hostAndParents } from "./address.ts";
import { commandPairs } from "./command-pairs.ts";

/**
 * What of a text is so peculiar that finding it elsewhere means that it came from there. `phrase`: five words in a row.
 * `code`: three words in a row as commands have them. `pair`: a program and the word after it, which tell something of a
 * command only. `value`: a whole line, or what stands in quotes.
 */
export type PieceKind = "address" | "host" | "mail" | "path" | "token" | "phrase" | "code" | "pair" | "value";

/** A piece as a number of 53 bits. Equal pieces of one seed have equal keys. */
export type PieceKey = number;

export interface Piece {
  readonly kind: PieceKind;
  readonly key: PieceKey;
}

/** All pieces of a text in small letters; of addresses, those by which a longer one is known too. */
export function* piecesToLearn(text: string, seed: number): Generator<Piece, void> {
  for (const address of addressesIn(text)) {
    const { prefixes } = address;
    yield toPiece("address", address.whole, seed);
    for (const prefix of prefixes.slice(1).slice(-2)) yield toPiece("address", prefix, seed);
    for (const host of hostAndParents(address.host).slice(0, 2)) yield toPiece("host", host, seed);
  }
  for (const host of bareHostsIn(text)) yield toPiece("host", host, seed);
  for (const value of valuesIn(text)) yield toPiece("value", value, seed);
  yield* wordPieces(text, seed);
  yield* piecesOfCommand(text, seed);
}

/** Extracts the additional pieces of a command line, in which two words can form a whole command. */
export function* piecesOfCommand(text: string, seed: number): Generator<Piece, void> {
  for (const pair of commandPairs(text)) yield toPiece("pair", pair, seed);
}

/** All pieces of a text by which it could be known. */
export function* piecesToFind(text: string, seed: number): Generator<Piece, void> {
  for (const address of addressesIn(text)) yield* addressPieces(address, seed);
  for (const bare of bareHostsIn(text))
    for (const host of hostAndParents(bare)) yield toPiece("host", host, seed);
  for (const value of linesIn(text)) yield toPiece("value", value, seed);
  yield* wordPieces(text, seed);
}

/** The pieces by which an address could be known to come from a text, the most telling first. */
export function* addressPieces(address: Address, seed: number): Generator<Piece, void> {
  yield toPiece("address", address.whole, seed);
  for (const prefix of address.prefixes.slice(1)) yield toPiece("address", prefix, seed);
  for (const host of hostAndParents(address.host)) yield toPiece("host", host, seed);
}

export function toPiece(kind: PieceKind, text: string, seed: number): Piece {
  return { kind, key: hashText(`${kind}:${text}`, seed) };
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

function* wordPieces(text: string, seed: number): Generator<Piece, void> {
  for (const mail of mailsIn(text)) yield toPiece("mail", mail, seed);
  if (text.includes("/"))
    for (const [found] of text.matchAll(filePath)) {
      const path = found.replace(/[.+-]+$/, "");
      if (path.length >= 8 && !mediaType.test(path)) yield toPiece("path", path, seed);
    }
  for (const token of tokensIn(text)) yield toPiece("token", token, seed);
  yield* phrases(text, seed);
  yield* codeLines(text, seed);
}

const filePath =
  /(?<![\p{L}\p{N}:/._~-])(?:(?:~|[\p{L}\p{N}_.-]+)(?:\/[\p{L}\p{N}_.@+-]+)+|(?:\/[\p{L}\p{N}_.@+-]+){2,})/gu;
const longRun = /[\p{L}\p{N}_-]{8,}/gu;
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

/** The runs of letters and digits that nobody would write by chance. */
export function* tokensIn(text: string): Generator<string, void> {
  for (const [token] of text.matchAll(longRun)) if (!isOrdinary(token)) yield token;
}

/** Groups of four as keys and serial numbers are written, with letters and digits in them: `abcd-1234-efgh-5678`. */
const groupedKey = /^(?=.*\d)(?=.*[a-z])(?:[a-z0-9]{4}[-_]){3,}[a-z0-9]{4}$/;

/** Words, numbers, and words and numbers joined: what a title, a slug or the name of a function is made of. */
function isOrdinary(token: string): boolean {
  if (token.length > 24) return /^[-_]+$/.test(token);
  if (day.test(token)) return true;
  if (groupedKey.test(token)) return false;
  return token.split(/[-_]+/).every((part) => /^\d{0,6}$/.test(part) || isWord(part));
}

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
function* phrases(text: string, seed: number): Generator<Piece, void> {
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
    if (key !== undefined) yield { kind: "phrase", key };
  }
}

const wordSeed = 0x41c6ce57;

/** The last words, as a phrase. */
class PhraseHash {
  readonly #seed: number;
  readonly #lows: number[] = [];
  readonly #highs: number[] = [];
  readonly #lengths: number[] = [];
  #chars = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  push(low: number, high: number, length: number): PieceKey | undefined {
    this.#lows.push(low);
    this.#highs.push(high);
    this.#lengths.push(length);
    this.#chars += length;
    if (this.#lows.length < wordsInPhrase) return undefined;
    const key = this.#chars + wordsInPhrase - 1 >= charsInPhrase ? this.#key() : undefined;
    this.#lows.shift();
    this.#highs.shift();
    this.#chars -= this.#lengths.shift() as number;
    return key;
  }

  #key(): PieceKey {
    let low = this.#seed;
    let high = ~this.#seed;
    for (let at = 0; at < wordsInPhrase; at++) {
      low = Math.imul(low ^ (this.#lows[at] as number), 0x9e3779b1);
      low ^= low >>> 15;
      high = Math.imul(high ^ (this.#highs[at] as number), 0x5f356495);
      high ^= high >>> 13;
    }
    return toKey(low, high);
  }
}

/** Letters and digits; beyond ASCII, all but the usual signs. */
function isWordUnit(unit: number): boolean {
  if (unit < 0x80) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
  return unit >= 0xc0 && !(unit >= 0x2000 && unit <= 0x2bff) && !(unit >= 0x3000 && unit <= 0x303f);
}

const likeCode = /[$/\\=&~@%^]|^--?[a-z]|[a-z0-9]\.[a-z]/;
const wordsInCode = 3;
const charsInCode = 8;

function* codeLines(text: string, seed: number): Generator<Piece, void> {
  for (const line of text.split("\n")) {
    const last: string[] = [];
    for (const part of line.split(/\s+/)) {
      const bare = part.replace(/^[`'"([{]+|[`'")\]},;:.!?]+$/g, "");
      if (bare === "") continue;
      last.push(bare);
      if (last.length < wordsInCode) continue;
      const code = last.join(" ");
      if (code.length >= charsInCode && last.some((one) => likeCode.test(one)))
        yield toPiece("code", code, seed);
      last.shift();
    }
  }
}

/** Two 32-bit mixes side by side, as one number. */
function hashText(text: string, seed: number): PieceKey {
  let low = 0xdeadbeef ^ seed;
  let high = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x9e3779b1);
    high = Math.imul(high ^ unit, 0x5f356495);
  }
  return toKey(low, high);
}

function toKey(first: number, second: number): PieceKey {
  const low = Math.imul(first ^ (first >>> 16), 0x85ebca6b) ^ Math.imul(second ^ (second >>> 13), 0xc2b2ae35);
  const high = Math.imul(second ^ (second >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return 0x100000000 * (high & 0x1fffff) + (low >>> 0);
}
