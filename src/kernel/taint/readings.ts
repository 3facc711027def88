import { CharSet } from "./scan.ts";

/** What one look at a text may decode at most: more is somebody's way to keep us busy. */
const maxDecoded = 200;
const maxDecodedChars = 65_536;
/** JSON in JSON in JSON. */
const maxEscapes = 3;

/**
 * The ways in which a text can be read, in small letters: as it stands, with percent escapes undone once and
 * backslashes up to three times, and what its longer base64 and hexadecimal runs say.
 */
export function listReadings(text: string): string[] {
  const plain = withoutTricks(text);
  const readings = [plain];
  const percents = linesWith(plain, percent);
  if (percents !== "") readings.push(withoutPercents(percents));
  let escaped = linesWith(plain, backslash);
  for (let depth = 0; depth < maxEscapes && escaped !== ""; depth++) {
    const read = withoutBackslashes(escaped);
    readings.push(read);
    escaped = linesWith(read, backslash);
  }
  const decoded = decodedRuns(plain);
  if (decoded !== "") readings.push(decoded);
  return readings.map((reading) => reading.toLowerCase());
}

const percent = /%[0-9a-f]{2}/i;
const backslash = /\\/;

/** Only what reads otherwise needs to be read again. */
function linesWith(text: string, pattern: RegExp): string {
  if (!pattern.test(text)) return "";
  const lines = text.split("\n");
  return lines.filter((line) => pattern.test(line)).join("\n");
}

const ascii = /^[\t-\r -~]*$/;
const ignorable = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** One form for what looks alike, nothing that can't be seen. */
function withoutTricks(text: string): string {
  return ascii.test(text) ? text : text.normalize("NFKC").replace(ignorable, "");
}

function withoutPercents(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return withoutTricks(decodeURIComponent(run));
    } catch {
      return run;
    }
  });
}

const controls: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: " ",
  f: " ",
  v: " ",
  "0": " ",
};

function withoutBackslashes(text: string): string {
  return text.replace(
    /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|(.))/gi,
    (
      _whole,
      long: string | undefined,
      four: string | undefined,
      two: string | undefined,
      char: string | undefined,
    ) => {
      if (char !== undefined) return controls[char] ?? char;
      const code = Number.parseInt((long ?? four ?? two) as string, 16);
      return code <= 0x10_ffff ? withoutTricks(String.fromCodePoint(code)) : "";
    },
  );
}

const shortestRun = 12;
const runChars = new CharSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-");

/** What could be base64 or hexadecimal. */
function* runsIn(text: string): Generator<string, void> {
  for (let at = 0; at < text.length; at++) {
    const start = at;
    while (runChars.has(text.charCodeAt(at))) at++;
    if (at - start < shortestRun) continue;
    const padding = text.startsWith("==", at) ? 2 : text.startsWith("=", at) ? 1 : 0;
    yield text.slice(start, at + padding);
  }
}

/** A line for each run that stands for readable text. */
function decodedRuns(text: string): string {
  const lines: string[] = [];
  let chars = 0;
  for (const found of runsIn(text)) {
    // Its alphabet has the slash, and so has an address.
    for (const part of found.includes("/") ? [found, ...found.split("/")] : [found]) {
      const said = part.length < shortestRun ? undefined : (fromHex(part) ?? fromBase64(part));
      if (said === undefined) continue;
      lines.push(withoutTricks(said));
      chars += said.length;
    }
    if (lines.length >= maxDecoded || chars > maxDecodedChars) break;
  }
  return lines.join("\n");
}

function fromHex(found: string): string | undefined {
  if (found.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(found)) return undefined;
  const pairs = found.slice(0, 2 * maxDecodedChars).match(/../g) ?? [];
  return toText(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)));
}

function fromBase64(found: string): string | undefined {
  if (!startsAsText(found)) return undefined;
  const digits = found
    .slice(0, 2 * maxDecodedChars)
    .replace(/=+$/, "")
    .replace(/-/g, "+")
    .replace(/_/g, "/");
  try {
    return toText(Uint8Array.from(atob(digits), (char) => char.charCodeAt(0)));
  } catch {
    return undefined; // Of a length that base64 doesn't have.
  }
}

/**
 * Whether the first three bytes of base64 could begin a readable text. Nearly all runs are words and paths, which do
 * not decode to text: decoding each and catching the error took longer than all other readings of a text.
 */
function startsAsText(found: string): boolean {
  let bits = 0;
  for (let at = 0; at < 4; at++) bits = (bits << 6) | digitAt(found, at);
  let following = 0;
  for (let shift = 16; shift >= 0; shift -= 8) {
    const byte = (bits >> shift) & 0xff;
    if (following > 0) {
      if (byte >> 6 !== 0b10) return false;
      following--;
    } else if (byte >= 0x80) {
      if (byte < 0xc2 || byte > 0xf4) return false;
      following = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    } else if (byte === 0x7f || (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d))
      return false;
  }
  return true;
}

/** The value of a digit of base64 or base64url. */
function digitAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit >= 0x61) return unit - 0x61 + 26;
  if (unit === 0x5f) return 63;
  if (unit >= 0x41) return unit - 0x41;
  if (unit >= 0x30) return unit - 0x30 + 52;
  return unit === 0x2f ? 63 : 62;
}

const decoder = new TextDecoder("utf-8", { fatal: true });
const unreadable = /[^\P{Cc}\t\n\r]/u;

function toText(bytes: Uint8Array): string | undefined {
  try {
    const text = decoder.decode(bytes);
    return unreadable.test(text) ? undefined : text;
  } catch {
    return undefined; // Not UTF-8.
  }
}
