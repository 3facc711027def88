import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { Interrupts } from "./interrupts.ts";

test("Interrupts.signal is aborted by an interruption, and is another one once that was taken", () => {
  const interrupts = new Interrupts();
  const { signal } = interrupts;
  interrupts.interrupt("the user");
  interrupts.interrupt("the schedule x");
  expect(signal.aborted).toBe(true);
  expect([interrupts.take(), interrupts.take()]).toEqual(["the user", undefined]);
  expect(interrupts.signal.aborted).toBe(false);
});

test("Interrupts.signal is aborted with the signal that it follows, also after an interruption was taken", () => {
  const interrupts = new Interrupts();
  const leave = new AbortController();
  interrupts.follow(leave.signal);
  interrupts.interrupt("the user");
  leave.abort(new Error("the program ends"));
  expect(interrupts.take()).toBe("the user");
  expect(interrupts.signal.reason).toEqual(new Error("the program ends"));
});

test("Interrupts.follow() leaves no listener behind once it is ended, and nobody has interrupted by leaving", () => {
  const interrupts = new Interrupts();
  const leave = new AbortController();
  const stop = interrupts.follow(leave.signal);
  expect(getEventListeners(leave.signal, "abort")).toHaveLength(1);
  stop();
  expect(getEventListeners(leave.signal, "abort")).toHaveLength(0);
  leave.abort();
  expect([interrupts.signal.aborted, interrupts.take()]).toEqual([false, undefined]);
});

test("Interrupts.fail() aborts the signal for a fault, and nobody has interrupted by it", () => {
  const interrupts = new Interrupts();
  const fault = new Error("no context");
  interrupts.fail(fault);
  expect(interrupts.signal.reason).toBe(fault);
  expect(interrupts.take()).toBeUndefined();
});
