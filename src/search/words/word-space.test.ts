import { expect, test } from "vitest";
import { WordSpace } from "./word-space.ts";

/** Numbers that are the same at each run (a linear congruential generator). */
function createDice(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

function toUnit(numbers: readonly number[]): Float32Array {
  const length = Math.hypot(...numbers);
  return Float32Array.from(numbers, (number) => number / length);
}

const cosine = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, number, at) => sum + number * (other[at] ?? 0), 0);

test("near() finds what a comparison with every word finds, the nearest first", () => {
  const dice = createDice(7);
  const random = () => Array.from({ length: 100 }, () => dice() + dice() + dice() - 1.5);
  const asked = toUnit(random());
  // Half of them lie near the word that is asked for, by different amounts.
  const vectors = Array.from({ length: 400 }, (_, at) => {
    const share = at % 2 === 0 ? 0 : dice() * 0.9;
    const other = toUnit(random());
    return toUnit(Array.from(asked, (number, place) => share * number + (1 - share) * (other[place] ?? 0)));
  });
  const words = vectors.map((_, at) => `w${at}`);
  const space = new WordSpace();
  space.add(words.slice(0, 10), vectors.slice(0, 10));
  space.add(words.slice(10), vectors.slice(10));
  const exact = new Map(words.map((word, at) => [word, cosine(asked, vectors[at] ?? asked)]));
  const expected = [...exact].sort(([, one], [, other]) => other - one).slice(0, 12);
  expect(expected.at(-1)?.[1]).toBeGreaterThan(0.8);
  const near = space.near("asked", asked);
  expect(new Set(near.map(({ word }) => word))).toEqual(new Set(expected.map(([word]) => word)));
  for (const { word, cosine: found } of near) expect(found).toBeCloseTo(exact.get(word) ?? 0, 2);
  const cosines = near.map(({ cosine: found }) => found);
  expect(cosines).toEqual(cosines.toSorted((one, other) => other - one));
});

test("near() gives nothing that is unrelated, and never the word itself", () => {
  const space = new WordSpace();
  space.add(
    ["tea", "coffee", "tax", "zzz"],
    [toUnit([1, 0, 0.2]), toUnit([0.9, 0.3, 0.1]), toUnit([-0.2, 1, 0]), new Float32Array(3)],
  );
  expect(space.near("tea", toUnit([1, 0, 0.2])).map(({ word }) => word)).toEqual(["coffee"]);
});

test("a word that is added later is near from then on, and one that is there already stays once", () => {
  const space = new WordSpace();
  const tea = toUnit([1, 0.1, 0]);
  space.add(["tea"], [tea]);
  expect(space.near("tea", tea)).toEqual([]);
  space.add(["tea", "coffee"], [tea, toUnit([1, 0.2, 0])]);
  expect(space.has("coffee")).toBe(true);
  expect(space.near("drink", tea).map(({ word }) => word)).toEqual(["tea", "coffee"]);
  expect(space.near("tea", tea).map(({ word }) => word)).toEqual(["coffee"]);
});

test("a vector of another length is refused", () => {
  const space = new WordSpace();
  space.add(["tea"], [toUnit([1, 0])]);
  expect(() => space.add(["coffee"], [toUnit([1, 0, 0])])).toThrow(
    'Cannot compare "coffee": its vector has 3 numbers, others have 2',
  );
});
