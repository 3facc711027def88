import { expect, test } from "vitest";
import { createFakeClock } from "./fake-clock.ts";

test("createFakeClock() shows the time it was given and stands still", async () => {
  const clock = createFakeClock(1000);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(clock.now()).toBe(1000);
});

test("FakeClock.advance() runs timers at their moments, in order", async () => {
  const clock = createFakeClock(0);
  const ran: (string | number)[] = [];
  clock.after(20, () => ran.push("b", clock.now()));
  clock.after(10, () => ran.push("a", clock.now()));
  clock.after(20, () => ran.push("c", clock.now()));
  clock.after(31, () => ran.push("late"));
  await clock.advance(30);
  expect(ran).toEqual(["a", 10, "b", 20, "c", 20]);
  expect({ now: clock.now(), pending: clock.pending }).toEqual({ now: 30, pending: 1 });
});

test("FakeClock.advance() runs a timer that another set, also through promises", async () => {
  const clock = createFakeClock(0);
  const ran: number[] = [];
  const tick = async () => {
    for (let count = 0; count < 3; count++) {
      await new Promise<void>((resolve) => void clock.after(5, resolve));
      ran.push(clock.now());
    }
  };
  const ticking = tick();
  await clock.advance(100);
  await ticking;
  expect(ran).toEqual([5, 10, 15]);
});

test("FakeClock.after() returns what cancels the timer", async () => {
  const clock = createFakeClock(0);
  const cancel = clock.after(5, () => expect.unreachable());
  cancel();
  await clock.advance(10);
  expect(clock.pending).toBe(0);
});
