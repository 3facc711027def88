import { expect, test } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { keepLease } from "./keep-lease.ts";

/** A lease of 300 ms, renewed as the test says. */
function hold(renew: (attempt: number) => Promise<boolean>) {
  const clock = createFakeClock();
  const seen = { attempts: 0, losses: 0 };
  const stop = keepLease({
    clock,
    leaseMs: 300,
    renew: () => renew(++seen.attempts),
    onLost: () => seen.losses++,
  });
  return { clock, seen, stop };
}

const fail = () => Promise.reject(new Error("the store is busy"));
const hang = () => new Promise<never>(() => {});

test("keepLease() renews after each third, until it is stopped", async () => {
  const { clock, seen, stop } = hold(async () => true);
  await clock.advance(3000);
  expect(seen).toEqual({ attempts: 30, losses: 0 });
  stop();
  await clock.advance(3000);
  expect(seen).toEqual({ attempts: 30, losses: 0 });
  expect(clock.pending).toBe(0);
});

test("keepLease() says at once, and once, that the lease is another's, and renews no more", async () => {
  const { clock, seen } = hold(async (attempt) => attempt < 3);
  await clock.advance(300);
  expect(seen).toEqual({ attempts: 3, losses: 1 });
  await clock.advance(3000);
  expect(seen).toEqual({ attempts: 3, losses: 1 });
  expect(clock.pending).toBe(0);
});

test.for<[string, () => Promise<never>]>([
  ["fail", fail],
  ["never come to an end", hang],
])("keepLease() gives the lease up at its end if its renewals %s", async ([, renew]) => {
  const { clock, seen } = hold((attempt) => (attempt === 1 ? Promise.resolve(true) : renew()));
  // Renewed after 100 ms, it ends after 400.
  await clock.advance(399);
  expect(seen.losses).toBe(0);
  await clock.advance(1);
  expect(seen.losses).toBe(1);
  await clock.advance(3000);
  expect(seen.losses).toBe(1);
  expect(clock.pending).toBe(0);
});

test("keepLease() keeps a lease that could be renewed before its end, after it could not", async () => {
  const { clock, seen } = hold((attempt) => (attempt % 2 === 0 ? Promise.resolve(true) : fail()));
  await clock.advance(3000);
  expect(seen.losses).toBe(0);
});

test("keepLease() counts the time of a lease from when its renewal began", async () => {
  const { clock, seen } = hold((attempt) =>
    attempt === 1 ? new Promise((resolve) => clock.after(90, () => resolve(true))) : fail(),
  );
  await clock.advance(399);
  expect(seen.losses).toBe(0);
  await clock.advance(1);
  expect(seen.losses).toBe(1);
});

/** A process that is stopped: when it goes on, every timer that is due runs before anything else does. */
function stoppedClock() {
  const timers: { due: number; action: () => void }[] = [];
  let now = 0;
  return {
    now: () => now,
    after(delayMs: number, action: () => void) {
      const timer = { due: now + delayMs, action };
      timers.push(timer);
      return () => {
        const at = timers.indexOf(timer);
        if (at >= 0) timers.splice(at, 1);
      };
    },
    async goOnAfter(ms: number) {
      now += ms;
      const due = timers.filter((timer) => timer.due <= now).sort((a, b) => a.due - b.due);
      for (const timer of due) {
        if (!timers.includes(timer)) continue;
        timers.splice(timers.indexOf(timer), 1);
        timer.action();
      }
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test.for<[string, () => Promise<boolean>, number]>([
  ["keeps the lease if nobody has taken it", async () => true, 0],
  ["has lost it if another has it", async () => false, 1],
  ["has lost it if it can't be renewed", fail, 1],
])("keepLease() of a process that was stopped past the end %s", async ([, renew, losses]) => {
  const clock = stoppedClock();
  let lost = 0;
  keepLease({ clock, leaseMs: 300, renew, onLost: () => lost++ });
  await clock.goOnAfter(5000);
  expect(lost).toBe(losses);
  await clock.goOnAfter(100);
  expect(lost).toBe(losses);
});

test("keepLease() of a process that was stopped past the end has lost it if the renewal takes too long", async () => {
  const clock = stoppedClock();
  let lost = 0;
  keepLease({ clock, leaseMs: 300, renew: hang, onLost: () => lost++ });
  await clock.goOnAfter(5000);
  expect(lost).toBe(0);
  await clock.goOnAfter(100);
  expect(lost).toBe(1);
});
