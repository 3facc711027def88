import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "./redact.ts";

const secret = "s3cr3t/+ key?&=é\"\\'!*()";
const redact = createRedactor(new Map([["API_KEY", secret]]));

const asciiJson = (text: string) =>
  JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("createRedactor()", () => {
  test.each([
    ["as it is", secret],
    ["in a URL", encodeURIComponent(secret)],
    ["in a form", new URLSearchParams([["", secret]]).toString().slice(1)],
    ["in a URL of small digits", encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
    ["in JSON", JSON.stringify(secret).slice(1, -1)],
    ["in JSON of slashes", JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/")],
    ["in JSON of ASCII", asciiJson(secret).slice(1, -1)],
  ])("takes a secret out %s", (_, form) => {
    expect(redact(`before ${form} after, and ${form}`)).toBe(
      "before [redacted:API_KEY] after, and [redacted:API_KEY]",
    );
  });

  test.each(["base64", "base64url"] as const)("takes a secret out of %s at every offset", (encoding) => {
    for (const before of ["", "u", "us", "use", "user:"]) {
      for (const after of ["", "x", "xy", "xyz"]) {
        const encoded = Buffer.from(before + secret + after).toString(encoding);
        const clean = redact(encoded);
        expect(clean).toContain("[redacted:API_KEY]");
        for (const rest of clean.split("[redacted:API_KEY]")) {
          expect(Buffer.from(rest, encoding).toString()).not.toContain(secret.slice(1, -1));
          expect(rest.length).toBeLessThan(12);
        }
      }
    }
  });

  test("takes a secret out of a header of basic authorization", () => {
    expect(redact(`Authorization: Basic ${base64(`admin:${secret}`)}`)).not.toContain(
      base64(secret).slice(4, 20),
    );
  });

  test("does not look for values under 8 characters", () => {
    const short = createRedactor(
      new Map([
        ["PIN", "1234567"],
        ["WORD", "password"],
      ]),
    );
    expect(short("1234567 is the password")).toBe("1234567 is the [redacted:WORD]");
    expect(createRedactor(new Map([["EMPTY", ""]]))("anything")).toBe("anything");
  });

  test("takes the longer of two secrets out where one begins the other", () => {
    const both = createRedactor(
      new Map([
        ["SHORT", "abcdefgh"],
        ["LONG", "abcdefgh-ijkl"],
      ]),
    );
    expect(both("abcdefgh-ijkl abcdefgh")).toBe("[redacted:LONG] [redacted:SHORT]");
  });

  test("takes the characters of a pattern in a secret for themselves, and those of a replacement in its name", () => {
    const odd = createRedactor(new Map([["$&$1", ".*+?^${}()|[]\\-/"]]));
    expect(odd("x .*+?^${}()|[]\\-/ abcdefghijklmnop")).toBe("x [redacted:$&$1] abcdefghijklmnop");
  });

  test("takes secrets that are no well-formed text, or very long", () => {
    const half = `half-a-pair-\ud83d`;
    const long = "0123456789abcdef".repeat(20_000);
    const both = createRedactor(
      new Map([
        ["HALF", half],
        ["LONG", long],
      ]),
    );
    expect(both(`<${half}> <${long}> <${base64(long)}>`)).toMatch(
      /^<\[redacted:HALF\]> <\[redacted:LONG\]> <\[redacted:LONG\]=*>$/,
    );
  });

  test("leaves nothing of any secret in any text around it", () => {
    const value = fc.string({ minLength: 8, maxLength: 30, unit: "binary" });
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (given, before, after) => {
        const clean = createRedactor(new Map([["S", given]]));
        for (const form of [
          given,
          encodeURIComponent(given),
          JSON.stringify(given).slice(1, -1),
          asciiJson(given).slice(1, -1),
        ]) {
          expect(clean(`${before}${form}${after}`)).toContain("[redacted:S]");
        }
      }),
    );
  });
});

describe("a redactor of what is still to come", () => {
  test("learn() takes one more secret out from then on", () => {
    const growing = createRedactor(new Map());
    expect(growing("hunter2-hunter2")).toBe("hunter2-hunter2");
    growing.learn("LATE", "hunter2-hunter2");
    growing.learn("SHORT", "hunter2");
    expect(growing("hunter2 hunter2-hunter2")).toBe("hunter2 [redacted:LATE]");
  });

  test("stream() shows of the pieces what it would show of the whole", () => {
    const text = `a ${secret} b ${base64(`x${secret}`)} ${secret.slice(0, 9)} c`;
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const stream = redact.stream();
        const edges = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const shown = edges.slice(1).map((end, index) => stream.push(text.slice(edges[index], end)));
        expect(shown.join("") + stream.end(false)).toBe(redact(text));
      }),
    );
  });

  test("stream() takes the beginning of a secret for one where the text was cut", () => {
    const stream = redact.stream();
    expect(stream.push(`key: ${secret.slice(0, 12)}`) + stream.end(true)).toBe("key: [redacted:API_KEY]");
    const whole = redact.stream();
    expect(whole.push("key: s3cr3t") + whole.end(false)).toBe("key: s3cr3t");
  });
});
