import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test("systemClock.after() calls once, unless it is cancelled", async () => {
  const calls: string[] = [];
  const cancel = systemClock.after(0, () => calls.push("cancelled"));
  cancel();
  await new Promise<void>((resolve) => {
    systemClock.after(1, () => {
      calls.push("called");
      resolve();
    });
  });
  expect(calls).toEqual(["called"]);
});

test("systemClock.after() does not take a delay of months for none", async () => {
  const calls: string[] = [];
  const cancel = systemClock.after(90 * 86_400_000, () => calls.push("too early"));
  await new Promise<void>((resolve) => systemClock.after(1, resolve));
  cancel();
  expect(calls).toEqual([]);
});
