import fc from "fast-check";
import { expect, test } from "vitest";
import { FrameReader, toFrame } from "./frames.ts";

test("FrameReader gives back what was framed, whatever pieces it comes in", () => {
  fc.assert(
    fc.property(
      fc.array(fc.object()),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (messages, sizes) => {
        const bytes = Buffer.concat(messages.map((message) => toFrame(message, 1_000_000)));
        const reader = new FrameReader(1_000_000);
        const texts: string[] = [];
        for (let at = 0, turn = 0; at < bytes.byteLength; turn++) {
          const size = sizes[turn % sizes.length] as number;
          texts.push(...reader.push(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(texts).toEqual(messages.map((message) => JSON.stringify(message)));
      },
    ),
  );
});

test("a frame over the limit is neither made nor read, however little of it has come", () => {
  expect(() => toFrame({ text: "xx" }, 12)).toThrow("a message of 13 bytes");
  expect(() => new FrameReader(12).push(Buffer.from([0, 0, 0, 13]))).toThrow("a message of 13 bytes");
  expect(new FrameReader(13).push(toFrame({ text: "xx" }, 13))).toEqual(['{"text":"xx"}']);
});
