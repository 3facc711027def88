import fc from "fast-check";
import { expect, test } from "vitest";
import { fusePacks, nearPacks } from "../packs/pack-ranking.ts";
import { best, cover, spreadOf, zScore } from "./ranking.ts";
import { VectorIndex } from "./vector-index.ts";

const score = fc.oneof(fc.double({ noDefaultInfinity: true, min: -1e3, max: 1e3 }), fc.constant(Number.NaN));

test("zScore() is a number for any scores, and 0 without one", () => {
  fc.assert(
    fc.property(fc.array(score, { maxLength: 20 }), (all) => {
      const scores = Float64Array.from(all);
      const spread = spreadOf(scores, Uint32Array.from(all.keys()));
      for (const one of scores) {
        const z = zScore(one, spread);
        expect(Number.isFinite(z)).toBe(true);
        if (Number.isNaN(one)) expect(z).toBe(0);
      }
    }),
  );
});

test("best() is the start of a full sort, and loses nobody", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5 })), fc.nat(30), (all, limit) => {
      const slots = [...all.keys()];
      const found = best(Uint32Array.from(slots), Float64Array.from(all), limit, {
        passes: (slot) => slot % 3 > 0,
        before: (one, two) => one < two,
      });
      const passing = slots.filter((slot) => slot % 3 > 0);
      const sorted = passing.toSorted((one, two) => (all[two] ?? 0) - (all[one] ?? 0) || one - two);
      expect(found).toEqual(sorted.slice(0, limit));
    }),
  );
});

test("cover() loses nobody, keeps the best first and never raises a score", () => {
  const candidate = fc.tuple(fc.double({ noNaN: true, min: -9, max: 9 }), fc.tuple(fc.nat(5), fc.nat(5)));
  fc.assert(
    fc.property(fc.array(candidate, { minLength: 1, maxLength: 12 }), (all) => {
      const candidates = all.map(([total, words], slot) => ({
        slot,
        total,
        words: Float64Array.from(words),
      }));
      const ordered = cover(candidates, { unit: 1, kept: 0.6 });
      expect(ordered.map(({ slot }) => slot).toSorted((a, b) => a - b)).toEqual([...all.keys()]);
      expect(ordered[0]?.score).toBe(Math.max(...all.map(([total]) => total)));
      for (const { slot, score: ranked } of ordered) expect(ranked).toBeLessThanOrEqual(all[slot]?.[0] ?? 0);
    }),
  );
});

test("cover() puts what answers another part of the message before more of the same", () => {
  const weather = { slot: 0, total: 9, words: Float64Array.of(9, 0) };
  const forecast = { slot: 1, total: 7, words: Float64Array.of(7, 0) };
  const mail = { slot: 2, total: 6, words: Float64Array.of(0, 6) };
  expect(cover([weather, forecast, mail], { unit: 1, kept: 0.6 }).map(({ slot }) => slot)).toEqual([0, 2, 1]);
  expect(cover([weather, forecast, mail], { unit: 1, kept: 1 }).map(({ slot }) => slot)).toEqual([0, 1, 2]);
});

test("VectorIndex gives the cosine of each vector, and NaN where there is none", () => {
  const index = new VectorIndex(3);
  index.put(2, Float32Array.of(0, 3, 4));
  index.put(0, Float32Array.of(1, 0, 0));
  index.put(1, Float32Array.of(0, 0, 0));
  const [first, second, third] = index.cosines(Float32Array.of(0, 2, 0));
  expect([first, second]).toEqual([0, Number.NaN]);
  expect(third).toBeCloseTo(0.6, 6);
  index.remove(2);
  expect(index.size).toBe(1);
  expect(index.cosines(Float32Array.of(0, 2, 0))[2]).toBeNaN();
});

test("VectorIndex refuses vectors of another length", () => {
  const index = new VectorIndex(3);
  expect(() => index.put(0, new Float32Array(2))).toThrow(RangeError);
  expect(() => index.cosines(new Float32Array(4))).toThrow(RangeError);
});

test("nearPacks() gives those about as near as the first, at least one, at most three", () => {
  const packs = (...scores: number[]) => scores.map((one, at) => ({ name: `p${at}`, score: one }));
  expect(nearPacks(packs(1, 0.86, 0.84)).map(({ name }) => name)).toEqual(["p0", "p1"]);
  expect(nearPacks(packs(1, 1, 1, 1))).toHaveLength(3);
  expect(nearPacks(packs(0, 0))).toHaveLength(1);
  expect(nearPacks([])).toEqual([]);
});

test("fusePacks() is half words, of the whole pack and of its best tool, and half the nearest tool", () => {
  const tools = new Map([
    ["git", [0, 1]],
    ["mail", [2]],
  ]);
  const words = new Map([["git", 4]]);
  const toolWords = Float64Array.of(1, 2, 2);
  expect(fusePacks(tools, { words, toolWords, cosines: Float64Array.of(0, 0.3, 0.6) })).toEqual([
    { name: "mail", score: 0.75 },
    { name: "git", score: 0.5 },
  ]);
  expect(fusePacks(tools, { words, toolWords, cosines: undefined })).toEqual([
    { name: "git", score: 1 },
    { name: "mail", score: 0.5 },
  ]);
});
