import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "./redact.ts";

const secrets = [
  "hunter2!",
  "s3cr3t-value",
  "p@ss/w+rd=?&é\"'\\ ~",
  "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
  "Zm9v.YmFyYmF6cXV4.0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFGH_",
];
const redact = createRedactor(new Map(secrets.map((secret, at) => [`KEY_${at}`, secret])));

/** What a program prints that is given this text. */
function print(program: string, text: string): string {
  return execFileSync("sh", ["-c", program], { input: text, encoding: "utf8" });
}

const base32Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const base32 = (text: string) => {
  const bits = Array.from(Buffer.from(text), (byte) => byte.toString(2).padStart(8, "0")).join("");
  const digits = bits.match(/.{1,5}/g) ?? [];
  const encoded = digits.map((five) => base32Digits[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
  return encoded.padEnd(Math.ceil(encoded.length / 8) * 8, "=");
};
const pairs = (text: string) => Buffer.from(text).toString("hex").match(/../g) ?? [];
const wrap = (text: string, width: number, end = "\n") =>
  text.replace(new RegExp(`(.{${width}})(?!$)`, "g"), `$1${end}`);
const base64 = (text: string, width: number, end?: string) =>
  wrap(Buffer.from(text).toString("base64"), width, end);
const escapeUnits = (text: string, sign = "\\") =>
  Array.from(
    { length: text.length },
    (_, at) => `${sign}u${text.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
const long = (text: string) => `the first words of a longer text, ${text}, and the last ones of it`;

const encodings: Readonly<Record<string, (text: string) => string>> = {
  "base64 of 76 characters": (text) => base64(long(text), 76),
  "base64 of 64 characters, within CRLF": (text) => base64(long(text), 64, "\r\n"),
  "base64 of 20 characters": (text) => base64(long(text), 20),
  "base64 of 20 characters, indented": (text) => base64(long(text), 20, "\n        "),
  "base64 of 60 characters, in JSON": (text) => JSON.stringify(base64(long(text), 60)),
  "base64 of 60 characters, in JSON within JSON": (text) =>
    JSON.stringify(JSON.stringify(base64(`xy${text}`, 16, "\r\n"))),
  "base64 of UTF-16": (text) => wrap(Buffer.from(`a${text}b`, "utf16le").toString("base64"), 20),
  "base64 of UTF-16, in one line, as PowerShell takes a command": (text) =>
    Buffer.from(`$key = '${text}'`, "utf16le").toString("base64"),
  base32,
  "base32 in small letters": (text) => base32(long(text)).toLowerCase(),
  "base32 of 20 characters": (text) => wrap(base32(`abc${text}xyz`), 20, "\r\n  "),
  "hex of 60 digits": (text) => wrap(Buffer.from(long(text)).toString("hex"), 60),
  "hex in pairs": (text) => pairs(text).join(" "),
  "hex in big pairs with colons": (text) => pairs(text).join(":").toUpperCase(),
  "hex of an array": (text) =>
    `[${pairs(text)
      .map((pair) => `0x${pair}`)
      .join(", ")}]`,
  "hex in fours": (text) =>
    (
      Buffer.from(text)
        .toString("hex")
        .match(/.{1,4}/g) ?? []
    ).join(" "),
  "hex in pairs, 16 a line": (text) => ` ${wrap(pairs(long(text)).join(" "), 47, "\n")}`,
  "hex in pairs, 16 a line, in JSON": (text) => JSON.stringify(wrap(pairs(long(text)).join(" "), 47)),
  "escapes of bytes": (text) =>
    pairs(text)
      .map((pair) => `\\x${pair}`)
      .join(""),
  "percents of every byte": (text) =>
    pairs(text)
      .map((pair) => `%${pair}`)
      .join("")
      .toUpperCase(),
  "percents of small digits": (text) =>
    pairs(text)
      .map((pair) => `%${pair}`)
      .join(""),
  "percents of more than is needed": (text) =>
    encodeURIComponent(text).replace(
      /(?<![%\dA-F])[-_.~a-z]/,
      (char) => `%${char.charCodeAt(0).toString(16)}`,
    ),
  "\\u of every character": (text) => escapeUnits(text),
  "\\u of every character, in JSON": (text) => JSON.stringify({ text: escapeUnits(text) }),
  "UTF-16 in JSON": (text) => JSON.stringify(Buffer.from(text, "utf16le").toString("latin1")),
};

/** No secret stands in what is left, read in any of the ways. */
function expectRedacted(shown: string, encoded: string): void {
  expect(shown).toMatch(/\[redacted:KEY_\d\]/);
  expect(shown).not.toBe(encoded);
}

function inPieces(text: string, cuts: readonly number[]): string {
  const stream = redact.stream();
  const edges = [0, ...cuts, text.length];
  return (
    edges
      .slice(1)
      .map((end, at) => stream.push(text.slice(edges[at], end)))
      .join("") + stream.end(false)
  );
}

describe("createRedactor(), of text that is encoded", () => {
  test.each(Object.entries(encodings))("takes secrets out of %s, whole and cut anywhere", (_, encode) => {
    for (const secret of secrets) {
      // Text that was read as bytes of Latin-1 has no é: it is that of ASCII only.
      const text = `before: ${encode(secret)}\nafter`;
      if (encode === encodings["UTF-16 in JSON"] && /[^\0-\x7f]/.test(secret)) continue;
      const shown = redact(text);
      expectRedacted(shown, text);
      expect(shown.startsWith("before: ")).toBe(true);
      expect(shown.endsWith("\nafter")).toBe(true);
      for (let cut = 1; cut < text.length; cut++) expect(inPieces(text, [cut])).toBe(shown);
      const every = Array.from({ length: text.length - 1 }, (__, at) => at + 1);
      expect(inPieces(text, every)).toBe(shown);
    }
  });

  test.each([
    "base64",
    "base64 -w 20",
    "base32",
    "base32 -w 24",
    "od -An -tx1",
    "iconv -t UTF-16LE",
    "iconv -t UTF-16BE",
    "iconv -t UTF-16 | base64",
    "iconv -t UTF-16LE | od -An -tx1",
  ])("takes secrets out of what %s prints", (program) => {
    for (const secret of secrets) {
      if (/[^\0-\x7f]/.test(secret) && /UTF-16..?$/.test(program)) continue;
      const text = print(program, long(secret));
      expectRedacted(redact(text), text);
      expect(inPieces(text, [text.length >> 1])).toBe(redact(text));
    }
  });

  test("replaces what encodes the secret, and nothing else", () => {
    const all = pairs("a s3cr3t-value b").join(" ");
    expect(redact(all)).toBe("61 20 [redacted:KEY_1] 20 62");
    expect(
      redact(
        `a=%41&b=${pairs("hunter2!")
          .map((pair) => `%${pair}`)
          .join("")}&c=%42`,
      ),
    ).toBe("a=%41&b=[redacted:KEY_0]&c=%42");
    expect(redact(`A ${base32("s3cr3t-value")} B`)).toMatch(/^A \[redacted:KEY_1\][A-Z2-7]?=* B$/);
  });

  test("leaves text that looks encoded and holds no secret as it is", () => {
    const others = Object.values(encodings).map((encode) => encode("nothing of any interest"));
    for (const text of [
      ...others,
      "%41".repeat(1000),
      "A".repeat(5000),
      "00 ".repeat(1000),
      "\\u0041".repeat(500),
    ]) {
      expect(redact(text)).toBe(text);
      expect(inPieces(text, [text.length >> 1])).toBe(text);
    }
  });

  test("gives for any split of encoded texts what it gives for the whole", () => {
    const encoded = fc
      .tuple(fc.constantFrom(...Object.values(encodings)), fc.constantFrom(...secrets))
      .map(([encode, secret]) => encode(secret));
    const part = fc.oneof(
      encoded,
      fc
        .tuple(encoded, fc.nat(60), fc.nat(60))
        .map(([text, from, length]) => text.slice(from, from + length)),
      fc.constantFrom("\n", "\\", "\\n", "0", "0x", "%", "\r", " ", "AAAAAAAAAAAAAAAA", "\0", "u0041"),
    );
    const texts = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(
        texts,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
        (text, steps) => {
          const cuts: number[] = [];
          for (let at = 0, turn = 0; at < text.length; turn++)
            cuts.push((at += steps[turn % steps.length] ?? 1));
          expect(inPieces(text, cuts.slice(0, -1))).toBe(redact(text));
        },
      ),
      { numRuns: 400 },
    );
  });

  test("takes the beginning of an encoded secret for one where the text was cut", () => {
    for (const encoded of [
      "%67%68%70%5f%31%36%43%37%65",
      "67 68 70 5f 31 36 43 37 65",
      escapeUnits("ghp_16C7e4"),
    ]) {
      const stream = redact.stream();
      expect(stream.push(`key: ${encoded}`) + stream.end(true)).toBe("key: [redacted:KEY_3]");
    }
  });

  test("holds back no more of a long text than a secret takes", () => {
    for (const unit of ["%41", "ABCDEFGH", "41 ", "\\u0041", "QUJD\n", "\0"]) {
      const stream = redact.stream();
      const text = unit.repeat(3000);
      expect(text.length - stream.push(text).length).toBeLessThan(400);
    }
  });
});
