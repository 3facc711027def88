import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FairSemaphore } from "./semaphore.ts";

/** Takes a place for each caller, and tells in what order they came in. */
function queueUp(semaphore: FairSemaphore, callers: readonly string[]): string[] {
  const order: string[] = [];
  for (const caller of callers) void semaphore.acquire(caller).then(() => order.push(caller));
  return order;
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

async function releaseAll(semaphore: FairSemaphore): Promise<void> {
  while (semaphore.held > 0) {
    semaphore.release();
    await settle();
  }
}

describe("FairSemaphore", () => {
  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses a limit of %d", (limit) => {
    expect(() => new FairSemaphore(limit)).toThrow(RangeError);
  });

  test("lets in as many as its limit and has the others wait", async () => {
    const semaphore = new FairSemaphore(2);
    const order = queueUp(semaphore, ["a", "b", "c"]);
    await settle();
    expect(order).toEqual(["a", "b"]);
    expect([semaphore.held, semaphore.waiting, semaphore.countWaiting("c")]).toEqual([2, 1, 1]);
    semaphore.release();
    await settle();
    expect(order).toEqual(["a", "b", "c"]);
    expect([semaphore.held, semaphore.waiting, semaphore.countWaiting("c")]).toEqual([2, 0, 0]);
  });

  test("serves callers in turn: a thousand requests of one delay another by one place", async () => {
    const semaphore = new FairSemaphore(1);
    const many = Array.from({ length: 1_000 }, () => "greedy");
    const order = queueUp(semaphore, [...many, "modest", "other", "modest"]);
    await releaseAll(semaphore);
    expect(order.slice(0, 7)).toEqual(["greedy", "greedy", "modest", "other", "greedy", "modest", "greedy"]);
    expect(order).toHaveLength(1_003);
  });

  test("tryAcquire() goes before nobody", async () => {
    const semaphore = new FairSemaphore(1);
    expect([semaphore.tryAcquire(), semaphore.tryAcquire()]).toEqual([true, false]);
    const order = queueUp(semaphore, ["waiting"]);
    semaphore.release();
    expect(semaphore.tryAcquire()).toBe(false);
    await settle();
    expect(order).toEqual(["waiting"]);
  });

  test("acquire() rejects with the signal's reason, and leaves no trace in the queue", async () => {
    const semaphore = new FairSemaphore(1);
    semaphore.tryAcquire();
    const controller = new AbortController();
    const reason = new Error("No longer wanted");
    const given = semaphore.acquire("a", controller.signal);
    const order = queueUp(semaphore, ["a", "b"]);
    controller.abort(reason);
    await expect(given).rejects.toBe(reason);
    expect(semaphore.waiting).toBe(2);
    await releaseAll(semaphore);
    expect(order).toEqual(["a", "b"]);
    await expect(semaphore.acquire("a", controller.signal)).rejects.toBe(reason);
    expect(semaphore.held).toBe(0);
  });

  test("acquire() keeps its place when the signal is aborted after it was let in", async () => {
    const semaphore = new FairSemaphore(1);
    semaphore.tryAcquire();
    const controller = new AbortController();
    const given = semaphore.acquire("a", controller.signal);
    semaphore.release();
    controller.abort();
    await given;
    expect([semaphore.held, semaphore.waiting]).toEqual([1, 0]);
  });

  test("enqueue() leaves the queue when told to, once", () => {
    const semaphore = new FairSemaphore(1);
    semaphore.tryAcquire();
    const admitted: string[] = [];
    const leave = semaphore.enqueue("a", () => admitted.push("first"));
    semaphore.enqueue("a", () => admitted.push("second"));
    leave();
    leave();
    expect(semaphore.waiting).toBe(1);
    semaphore.release();
    expect(admitted).toEqual(["second"]);
  });

  test("never holds more than its limit, and lets everybody in in the end", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("acquire" as const), caller: fc.constantFrom("a", "b", "c") }),
      fc.record({
        kind: fc.constantFrom("release" as const, "abort" as const, "try" as const),
        caller: fc.constant(""),
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { maxLength: 40 }),
        async (limit, steps) => {
          const semaphore = new FairSemaphore(limit);
          const controllers: AbortController[] = [];
          const outcomes: Promise<unknown>[] = [];
          for (const { kind, caller } of steps) {
            if (kind === "acquire") {
              const controller = new AbortController();
              controllers.push(controller);
              outcomes.push(semaphore.acquire(caller, controller.signal).catch(() => {}));
            } else if (kind === "try") semaphore.tryAcquire();
            else if (kind === "abort") controllers.pop()?.abort();
            else if (semaphore.held > 0) semaphore.release();
            expect(semaphore.held).toBeLessThanOrEqual(limit);
            expect(semaphore.waiting > 0 && semaphore.held < limit).toBe(false);
          }
          await releaseAll(semaphore);
          await Promise.all(outcomes);
          expect([semaphore.held, semaphore.waiting]).toEqual([0, 0]);
        },
      ),
    );
  });
});
