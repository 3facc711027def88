import { expect, test } from "vitest";
import { systemClock } from "../../../base/index.ts";
import { ReadingTime } from "./self-answers.ts";

test("an answer after the time to read counts, though the process was held up when its timer was due", async () => {
  const reading = new ReadingTime(systemClock, 20);
  reading.begin();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
  expect(await reading.isOver()).toBe(true);
});

test("an answer before the time to read does not count", async () => {
  const reading = new ReadingTime(systemClock, 60_000);
  reading.begin();
  expect(await reading.isOver()).toBe(false);
  reading.end();
});
