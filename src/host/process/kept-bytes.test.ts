import fc from "fast-check";
import { expect, test } from "vitest";
import { HeadBytes, TailBytes } from "./kept-bytes.ts";

const chunks = fc.array(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  { maxLength: 30 },
);

test("HeadBytes keeps the first bytes of any pieces, and hands back what it kept of each", () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 0, max: 200 }), (pieces, limit) => {
      const head = new HeadBytes(limit);
      const kept = pieces.map((piece) => head.push(piece));
      const expected = Buffer.concat(pieces).subarray(0, limit);
      expect(head.bytes()).toEqual(expected);
      expect(Buffer.concat(kept)).toEqual(expected);
    }),
  );
});

test("TailBytes keeps the last bytes of any pieces", () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 0, max: 200 }), (pieces, limit) => {
      const tail = new TailBytes(limit);
      for (const piece of pieces) tail.push(piece);
      const whole = Buffer.concat(pieces);
      expect(Buffer.from(tail.bytes())).toEqual(whole.subarray(Math.max(0, whole.byteLength - limit)));
    }),
  );
});
