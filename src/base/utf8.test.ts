import fc from "fast-check";
import { expect, test } from "vitest";
import { wholeLength, wholeStart } from "./utf8.ts";

test("wholeLength() and wholeStart() leave out the character that a cut went through, and no other", () => {
  const text = "aé€😀";
  const bytes = new TextEncoder().encode(text);
  const lengths = Array.from({ length: bytes.length + 1 }, (_, end) => wholeLength(bytes.subarray(0, end)));
  expect(lengths).toEqual([0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10]);
  const starts = Array.from({ length: bytes.length + 1 }, (_, at) => at + wholeStart(bytes.subarray(at)));
  expect(starts).toEqual([0, 1, 3, 3, 6, 6, 6, 10, 10, 10, 10]);
});

test("wholeLength() and wholeStart() leave out at most three bytes, whatever they are given", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      expect(bytes.length - wholeLength(bytes)).toBeLessThanOrEqual(3);
      expect(wholeStart(bytes)).toBeLessThanOrEqual(Math.min(3, bytes.length));
    }),
  );
});
