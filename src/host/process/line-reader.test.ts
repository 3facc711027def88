import fc from "fast-check";
import { expect, test } from "vitest";
import { LineReader } from "./line-reader.ts";

function read(chunks: readonly Buffer[], maxBytes = 1000): string[] {
  const seen: string[] = [];
  const reader = new LineReader(maxBytes, {
    line: (bytes) => seen.push(bytes.toString("latin1")),
    tooLong: () => seen.push("too long"),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return seen;
}

test("LineReader gives the same lines however the bytes are cut into chunks", () => {
  const text = fc.array(fc.constantFrom("a", "bc", "\n", "\r\n", "\u00ff"), { maxLength: 40 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(5), { minLength: 1, maxLength: 10 }), (parts, sizes) => {
      const bytes = Buffer.from(parts.join(""), "latin1");
      const chunks: Buffer[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = (sizes[turn % sizes.length] as number) + 1;
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      const whole = parts
        .join("")
        .split("\n")
        .map((line) => line.replace(/\r$/, ""));
      expect(read(chunks)).toEqual(whole.filter((line) => line !== ""));
    }),
  );
});

test("LineReader says once that a line is too long, skips it, and goes on after it", () => {
  const chunks = ["ok\n", "12345", "67890", "more and more", " of it\nnext\n", "12345678901\n", "last"];
  expect(
    read(
      chunks.map((chunk) => Buffer.from(chunk)),
      10,
    ),
  ).toEqual(["ok", "too long", "next", "too long", "last"]);
});

test("LineReader takes a line of exactly the limit", () => {
  expect(read([Buffer.from("1234567890\n")], 10)).toEqual(["1234567890"]);
});

test("LineReader keeps copies: a chunk may be written over once it was pushed", () => {
  const seen: string[] = [];
  const reader = new LineReader(1_000_000, {
    line: (bytes) => seen.push(bytes.toString()),
    tooLong: () => {},
  });
  const buffer = Buffer.alloc(50_000);
  for (const letter of "abc") reader.push(buffer.fill(letter));
  reader.push(buffer.fill("\n"));
  expect(seen).toEqual(["a".repeat(50_000) + "b".repeat(50_000) + "c".repeat(50_000)]);
});

test("LineReader gives both ends of a line that was too long, however it was cut", () => {
  const line = `{"method":"x",${"y".repeat(200_000)}"id":5}`;
  for (const size of [1, 7, 1000, 65_536, 70_001, 300_000]) {
    const seen: string[] = [];
    const reader = new LineReader(131_080, {
      line: (bytes) => seen.push(bytes.toString()),
      tooLong: () => seen.push("too long"),
      skipped: (head, tail) => seen.push(head.toString(), tail.toString()),
    });
    const bytes = Buffer.from(`${line}\nnext\n`);
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    expect(seen).toEqual(["too long", line.slice(0, 512), line.slice(-512), "next"]);
  }
});
