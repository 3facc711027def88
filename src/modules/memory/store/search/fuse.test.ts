import { expect, test } from "vitest";
import { fuse } from "./fuse.ts";

const words = new Map([
  [1, 8],
  [2, 4],
]);

test("fuse() orders alike whatever cosines a model gives to what is near", () => {
  const fuseOrder = (scale: number) => {
    const cosines = new Map([
      [2, 0.9 * scale],
      [3, 0.6 * scale],
    ]);
    return fuse(words, cosines, 0.35)
      .toSorted((one, other) => other.score - one.score)
      .map(({ seq, score }) => [seq, score.toFixed(3)]);
  };
  expect(fuseOrder(1)).toEqual([
    [2, "0.675"],
    [1, "0.650"],
    [3, "0.233"],
  ]);
  expect(fuseOrder(0.5)).toEqual(fuseOrder(1));
});

test("fuse() makes nothing near of cosines that say nothing", () => {
  const [far] = fuse(new Map(), new Map([[3, 0.01]]), 0.5);
  expect(far?.score).toBeCloseTo(0.05);
});
