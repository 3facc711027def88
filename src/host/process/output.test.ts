import fc from "fast-check";
import { expect, test } from "vitest";
import { OutputCollector } from "./output.ts";

/** Feeds a collector as a run does: the head in pieces, then what was kept of the rest. */
function collect(
  bytes: Buffer,
  { headBytes, tailBytes, pieceBytes }: { headBytes: number; tailBytes: number; pieceBytes: number },
) {
  const told: string[] = [];
  const collector = new OutputCollector(headBytes, (text) => told.push(text));
  const head = bytes.subarray(0, headBytes);
  for (let at = 0; at < head.byteLength; at += pieceBytes) collector.push(head.subarray(at, at + pieceBytes));
  const rest = bytes.subarray(headBytes);
  const tail = rest.subarray(Math.max(0, rest.byteLength - tailBytes));
  const output = collector.end({ totalBytes: bytes.byteLength, tail });
  return { output, told: told.join("") };
}

test("OutputCollector gives back any text that fits, also where pieces cut through characters", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.integer({ min: 1, max: 7 }),
      (text, pieceBytes) => {
        const bytes = Buffer.from(text);
        const half = Math.ceil(bytes.byteLength / 2);
        const { output, told } = collect(bytes, { headBytes: half, tailBytes: half, pieceBytes });
        expect(output).toEqual({ text, totalBytes: bytes.byteLength, omittedBytes: 0, lossy: false });
        expect(told).toBe(text);
      },
    ),
  );
});

test("OutputCollector cuts between characters and says how much it left out", () => {
  const bytes = Buffer.from("€".repeat(100));
  const { output, told } = collect(bytes, { headBytes: 10, tailBytes: 11, pieceBytes: 4 });
  const text = "€€€\n[279 B of output left out here]\n€€€";
  expect(output).toEqual({ text, totalBytes: 300, omittedBytes: 279, lossy: false });
  expect(told).toBe(text);
});

test("OutputCollector marks output that is not UTF-8 and keeps the rest of it readable", () => {
  const { output } = collect(Buffer.from([0x61, 0xff, 0x62, 0xe2, 0x82]), {
    headBytes: 9,
    tailBytes: 9,
    pieceBytes: 9,
  });
  expect(output).toEqual({ text: "a\ufffdb\ufffd", totalBytes: 5, omittedBytes: 0, lossy: true });
});
