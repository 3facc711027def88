import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { Patience } from "./prompt-rate-limit.ts";

test("Patience lets a caller have as many questions open as it may, and others theirs", () => {
  const patience = new Patience(createFakeClock(0));
  const close = patience.open("a");
  patience.open("a");
  expect(patience.findFault("a", 2)).toBe("2 questions of this caller wait for an answer already");
  expect(patience.findFault("b", 2)).toBeUndefined();
  close();
  expect(patience.findFault("a", 2)).toBeUndefined();
});

test("Patience asks nobody for ten minutes once a caller has been told no too often, and then anew", async () => {
  const clock = createFakeClock(0);
  const patience = new Patience(clock);
  patience.refused("a");
  await clock.advance(60_000);
  patience.refused("a");
  expect(patience.findFault("a", 2)).toBe(
    "this caller was told no 2 times within ten minutes, so nobody is asked now",
  );
  expect(patience.findFault("b", 2)).toBeUndefined();
  await clock.advance(540_000);
  expect(patience.findFault("a", 2)).toBeUndefined();
});

test("Patience lets a caller fill the list of kept questions only so far", async () => {
  const clock = createFakeClock(0);
  const patience = new Patience(clock);
  for (let kept = 0; kept < 12; kept++) patience.kept("a");
  expect(patience.findFault("a", 2)).toBe(
    "12 questions of this caller were put within ten minutes, so no more are now",
  );
  await clock.advance(600_000);
  expect(patience.findFault("a", 2)).toBeUndefined();
});

test("Patience does not count a kept question that was taken back", async () => {
  const patience = new Patience(createFakeClock(0));
  const takeBack = Array.from({ length: 6 }, () => patience.kept("a"));
  expect(patience.findFault("a", 1)).toContain("6 questions");
  takeBack[0]?.();
  takeBack[0]?.();
  expect(patience.findFault("a", 1)).toBeUndefined();
});
