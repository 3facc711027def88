import fc from "fast-check";
import { expect, test } from "vitest";
import { fusePacks, nearPacks } from "../packs/pack-ranking.ts";
import { best, type Candidate, cover, measureSpread, zScore } from "./ranking.ts";
import { VectorIndex } from "./vector-index.ts";

const score = fc.oneof(fc.double({ noDefaultInfinity: true, min: -1e3, max: 1e3 }), fc.constant(Number.NaN));

test("zScore() is a number for any scores, and 0 without one", () => {
  fc.assert(
    fc.property(fc.array(score, { maxLength: 20 }), (all) => {
      const scores = Float64Array.from(all);
      const spread = measureSpread(scores, Uint32Array.from(all.keys()));
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

function candidate(slot: number, terms: readonly number[], more: Partial<Candidate> = {}): Candidate {
  const total = terms.reduce((sum, term) => sum + term, 0);
  return {
    slot,
    total,
    pack: -1,
    terms: Float64Array.from(terms),
    inPack: new Float64Array(terms.length),
    ...more,
  };
}

const rankSlots = (candidates: readonly Candidate[], loss: number) =>
  cover(candidates, { unit: 1, loss }).map(({ slot }) => slot);

test("cover() loses nobody, keeps the best first and never raises a score", () => {
  const total = fc.double({ noNaN: true, min: -9, max: 9 });
  const share = fc.double({ noNaN: true, min: 0, max: 1 });
  const one = fc.record({
    total,
    pack: fc.integer({ min: -1, max: 2 }),
    terms: fc.tuple(fc.nat(5), fc.nat(5)),
    inPack: fc.tuple(share, share),
  });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 12 }), (all) => {
      const candidates = all.map(({ terms, inPack, ...rest }, slot) =>
        candidate(slot, terms, { ...rest, inPack: Float64Array.from(inPack) }),
      );
      const ordered = cover(candidates, { unit: 1, loss: 0.4 });
      expect(ordered.map(({ slot }) => slot).toSorted((a, b) => a - b)).toEqual([...all.keys()]);
      expect(ordered[0]?.score).toBe(Math.max(...all.map(({ total: best }) => best)));
      for (const { slot, score: ranked } of ordered) {
        expect(ranked).toBeLessThanOrEqual(all[slot]?.total ?? 0);
      }
    }),
  );
});

test("cover() puts what answers another part of the message before more of the same", () => {
  const all = [candidate(0, [9, 0]), candidate(1, [7, 0]), candidate(2, [0, 6])];
  expect(rankSlots(all, 0.4)).toEqual([0, 2, 1]);
  expect(rankSlots(all, 0)).toEqual([0, 1, 2]);
});

test("cover() takes nothing off a word that all tools of a pack share, for the tools of that pack", () => {
  const inPack = Float64Array.of(1, 0);
  const clips = candidate(0, [9, 1], { pack: 0, inPack });
  const details = candidate(1, [7, 0], { pack: 0, inPack });
  const other = candidate(2, [0, 6.5], { pack: 1 });
  const elsewhere = candidate(3, [7.2, 0], { pack: 1 });
  expect(rankSlots([clips, details, other, elsewhere], 0.4)).toEqual([0, 1, 2, 3]);
  const own = new Float64Array(2);
  expect(rankSlots([{ ...clips, inPack: own }, { ...details, inPack: own }, other], 0.4)).toEqual([0, 2, 1]);
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

test("fusePacks() is two thirds words, of the whole pack and of its best tool, and one third the nearest tool", () => {
  const tools = new Map([
    ["git", [0, 1]],
    ["mail", [2]],
  ]);
  const words = new Map([["git", 4]]);
  const toolWords = Float64Array.of(1, 2, 2);
  expect(fusePacks(tools, { words, toolWords, cosines: Float64Array.of(0, 0.3, 0.6) })).toEqual([
    { name: "git", score: 2 / 3 + 0 },
    { name: "mail", score: 2 / 3 },
  ]);
  expect(fusePacks(tools, { words, toolWords, cosines: undefined })).toEqual([
    { name: "git", score: 1 },
    { name: "mail", score: 0.5 },
  ]);
});
