import { expect, test } from "vitest";
import { RecentMap } from "./recent-map.ts";

test("RecentMap keeps what was set last, and returns what had to go", () => {
  const map = new RecentMap<string, number>(2);
  expect([map.set("a", 1), map.set("b", 2), map.set("a", 3)]).toEqual([undefined, undefined, undefined]);
  expect(map.set("c", 4)).toEqual(["b", 2]);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
  expect([map.get("a"), map.get("b")]).toEqual([3, undefined]);
});

test("RecentMap takes only the last of too many entries", () => {
  const map = new RecentMap(
    2,
    [1, 2, 3].map((key) => [key, key * 10] as const),
  );
  expect([...map.values()]).toEqual([20, 30]);
  map.clear();
  expect([...map]).toEqual([]);
});
