import { expect, test } from "vitest";
import { createIdSource } from "./id.ts";

test("createIdSource() makes ids of a prefix, the time and what no other process has", () => {
  const newId = createIdSource(() => 1_700_000_000_000);
  expect(newId("c")).toMatch(/^c_loyw3v28_[0-9a-z]{5}0$/);
  expect(newId("call")).toMatch(/^call_loyw3v28_[0-9a-z]{5}1$/);
  expect(newId("c", 1_700_000_000_001)).toMatch(/^c_loyw3v29_/);
});

test("createIdSource() never makes the same id twice, at one time or when the clock goes back", () => {
  let now = 1_000;
  const sources = Array.from({ length: 20 }, () => createIdSource(() => now));
  const ids: string[] = [];
  for (const time of [1_000, 1_001, 1_000, 5_000]) {
    now = time;
    for (const newId of sources) for (let count = 0; count < 100; count++) ids.push(newId("c"));
  }
  expect(new Set(ids).size).toBe(ids.length);
});

test("createIdSource() makes ids that sort by the time they were made", () => {
  let now = Date.UTC(2026, 0, 1);
  const newId = createIdSource(() => now);
  const ids = Array.from({ length: 50 }, () => {
    now += 86_400_000;
    return newId("c");
  });
  expect(ids.toSorted()).toEqual(ids);
});
