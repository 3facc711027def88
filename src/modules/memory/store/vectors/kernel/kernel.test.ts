import fc from "fast-check";
import { expect, test } from "vitest";
import { compileHamming } from "../../../../../../test/support/wasm.ts";
import { blockBytes, type CodeKernel, pageBytes } from "./code-kernel.ts";
import { hammingWasm } from "./hamming-wasm.ts";
import { createJsKernel } from "./js-kernel.ts";
import { createWasmKernel } from "./wasm-kernel.ts";

test("hamming-wasm.ts is what hamming.wat is compiled to (`node scripts/build-wasm.ts`)", async () => {
  expect(hammingWasm).toBe(Buffer.from(await compileHamming()).toString("base64"));
});

interface Batch {
  readonly query: Uint8Array;
  readonly codes: readonly Uint8Array[];
  readonly range: { readonly least: number; readonly most: number };
}

function run(kernel: CodeKernel, { query, codes, range }: Batch) {
  kernel.grow(3);
  const bytes = kernel.bytes();
  const histogramAt = query.length;
  const histogramBytes = (query.length * 8 + 1) * 4;
  const foundAt = histogramAt + histogramBytes;
  bytes.set(query);
  for (const [at, code] of codes.entries()) bytes.set(code, pageBytes + at * query.length);
  const distances = pageBytes + codes.length * query.length;
  // What lay there before must not count.
  bytes.fill(0xff, distances + codes.length * 2, distances + codes.length * 2 + 16);
  const batch = { codes: pageBytes, count: codes.length, blocks: query.length / blockBytes, distances };
  kernel.measure(batch, 0, histogramAt);
  kernel.measure(batch, 0, histogramAt);
  const hits = kernel.collect(batch, range, foundAt);
  const { buffer } = kernel.bytes();
  return {
    distances: [...new Uint16Array(buffer, distances, codes.length)],
    histogram: [...new Uint32Array(buffer, histogramAt, histogramBytes / 4)],
    found: [...new Uint16Array(buffer, foundAt, hits)],
  };
}

function naive({ query, codes, range }: Batch): ReturnType<typeof run> {
  const ones = (byte: number) => byte.toString(2).replaceAll("0", "").length;
  const distances = codes.map((code) =>
    code.reduce((total, byte, at) => total + ones(byte ^ (query[at] as number)), 0),
  );
  const histogram = Array.from(
    { length: query.length * 8 + 1 },
    (_, distance) => 2 * distances.filter((each) => each === distance).length,
  );
  const found = [...distances.keys()].filter((slot) => {
    const distance = distances[slot] as number;
    return distance >= range.least && distance <= range.most;
  });
  return { distances, histogram, found };
}

/** Random codes, those of no bit and of all bits, and of lengths on both sides of where the sums are carried over. */
const batches = fc.constantFrom(1, 2, 4, 6, 15, 16, 17, 31, 32, 33, 64).chain((blocks) => {
  const length = blocks * blockBytes;
  const code = fc.oneof(
    fc.uint8Array({ minLength: length, maxLength: length }),
    fc.constantFrom(0, 255, 1).map((byte) => new Uint8Array(length).fill(byte)),
  );
  return fc.record({
    query: code,
    codes: fc.array(code, { maxLength: 40 }),
    range: fc
      .tuple(fc.nat(length * 8), fc.nat(length * 8))
      .map(([one, other]) => ({ least: Math.min(one, other), most: Math.max(one, other) })),
  });
});

test("the WebAssembly kernel and that in JavaScript give what counting bit by bit gives", () => {
  fc.assert(
    fc.property(batches, (batch) => {
      const expected = naive(batch);
      const wasm = createWasmKernel();
      if (wasm === undefined) throw new Error("This engine should run it");
      expect(run(wasm, batch)).toEqual(expected);
      expect(run(createJsKernel(), batch)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test("what is in a kernel's memory stays as it grows", () => {
  for (const kernel of [createWasmKernel(), createJsKernel()]) {
    kernel?.bytes().set([1, 2, 3], 100);
    kernel?.grow(2);
    expect(kernel?.bytes().length).toBe(3 * pageBytes);
    expect([...(kernel?.bytes().subarray(100, 103) ?? [])]).toEqual([1, 2, 3]);
  }
});
