import fc from "fast-check";
import { expect, test } from "vitest";
import { type Frame, type FrameKind, FrameReader, fromPayload, toPayload, writeFrame } from "./wire.ts";

const frame = fc.record({
  kind: fc.integer({ min: 1, max: 7 }) as fc.Arbitrary<FrameKind>,
  run: fc.nat(),
  payload: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
});

test("FrameReader gives back the frames that were written, however the bytes are cut", () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.integer({ min: 1, max: 60 }), (frames, size) => {
      const written: Uint8Array[] = [];
      const sink = { cork() {}, uncork() {}, write: (chunk: Uint8Array) => written.push(chunk) > 0 };
      for (const { kind, run, payload } of frames) writeFrame(sink, kind, run, payload);
      const bytes = Buffer.concat(written);
      const read: Frame[] = [];
      const reader = new FrameReader((next) => read.push({ ...next, payload: Buffer.from(next.payload) }));
      for (let at = 0; at < bytes.byteLength; at += size) reader.push(bytes.subarray(at, at + size));
      expect(read).toEqual(frames);
    }),
  );
});

test("fromPayload() gives back what toPayload() was given, bytes included", () => {
  const value = { args: ["ä", "\ud83d\ude00"], stdin: new Uint8Array([0, 255, 10]), script: undefined };
  expect(fromPayload(toPayload(value))).toEqual(value);
});
