import { expect, test } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { pause, systemClock } from "./clock.ts";

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

test("systemClock.after() leaves nothing that keeps a process from its end, once it is cancelled", () => {
  const countTimeouts = () => process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;
  const before = countTimeouts();
  const cancels = Array.from({ length: 40 }, (_, at) => systemClock.after(30_000 + at, () => {}));
  expect(countTimeouts()).toBe(before + 40);
  for (const cancel of cancels) cancel();
  expect(countTimeouts()).toBe(before);
});

test("a pause ends with its time, or with its signal, and leaves nothing behind", async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const whole = pause(clock, 50, stop.signal);
  await clock.advance(50);
  await whole;
  const cut = pause(clock, 50, stop.signal);
  expect(clock.pending).toBe(1);
  stop.abort();
  await cut;
  await pause(clock, 50, stop.signal);
  expect(clock.pending).toBe(0);
});
