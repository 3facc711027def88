import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ResourceLock, ResourceLocks, toLocks } from "./resource-locks.ts";

const reads = (...keys: string[]): ResourceLock[] => keys.map((key) => ({ key, mode: "shared" }));
const writes = (...keys: string[]): ResourceLock[] => keys.map((key) => ({ key, mode: "exclusive" }));
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Enters, and tells who is inside. */
function visitor(locks: ResourceLocks) {
  const inside = new Set<string>();
  const order: string[] = [];
  const leave = new Map<string, () => void>();
  const visit = (name: string, wanted: readonly ResourceLock[], signal?: AbortSignal) =>
    locks.enter(wanted, signal).then((left) => {
      inside.add(name);
      order.push(name);
      leave.set(name, () => {
        inside.delete(name);
        left();
      });
    });
  return { inside, order, visit, leave: (name: string) => leave.get(name)?.() };
}

test("toLocks() gives each path one lock, exclusive if anything changes it", () => {
  const effect = (kind: "read" | "write" | "delete" | "run" | "connect", target: string) => ({
    kind,
    target,
    within: true,
  });
  expect(toLocks([])).toEqual([]);
  expect(toLocks([effect("run", "ls"), effect("connect", "https://example.com")])).toEqual([]);
  expect(
    toLocks([
      effect("read", "/a"),
      effect("write", "/a"),
      effect("read", "/b"),
      effect("delete", "/c"),
      effect("read", "/c"),
    ]),
  ).toEqual([...writes("/a"), ...reads("/b"), ...writes("/c")]);
});

describe("ResourceLocks", () => {
  test("has readers of one key overlap, and a writer alone", async () => {
    const { inside, visit, leave } = visitor(new ResourceLocks());
    void visit("r1", reads("a"));
    void visit("r2", reads("a"));
    void visit("w1", writes("a"));
    void visit("w2", writes("a"));
    void visit("other", writes("b"));
    await settle();
    expect([...inside]).toEqual(["r1", "r2", "other"]);
    leave("r1");
    await settle();
    expect([...inside]).toEqual(["r2", "other"]);
    leave("r2");
    await settle();
    expect([...inside]).toEqual(["other", "w1"]);
    leave("w1");
    await settle();
    expect([...inside]).toEqual(["other", "w2"]);
  });

  test("serves first come, first: a reader does not go before a writer that waits", async () => {
    const { order, visit, leave } = visitor(new ResourceLocks());
    void visit("r1", reads("a"));
    void visit("w", writes("a"));
    void visit("r2", reads("a"));
    void visit("r3", reads("a"));
    await settle();
    expect(order).toEqual(["r1"]);
    leave("r1");
    await settle();
    leave("w");
    await settle();
    expect(order).toEqual(["r1", "w", "r2", "r3"]);
  });

  test("enter() rejects with the signal's reason, and lets those behind go on", async () => {
    const locks = new ResourceLocks();
    const { order, visit, leave } = visitor(locks);
    const controller = new AbortController();
    const reason = new Error("No longer wanted");
    void visit("r1", reads("a"));
    const given = visit("w", writes("a"), controller.signal);
    void visit("r2", reads("a"));
    await settle();
    controller.abort(reason);
    await expect(given).rejects.toBe(reason);
    await settle();
    expect(order).toEqual(["r1", "r2"]);
    leave("r1");
    leave("r2");
    await expect(locks.enter(writes("a"), controller.signal)).rejects.toBe(reason);
    expect(locks.tryEnter(writes("a"))).toBeDefined();
  });

  test("enter() gives back the locks it has when it is aborted at a later one", async () => {
    const locks = new ResourceLocks();
    const leaveB = await locks.enter(writes("b"));
    const controller = new AbortController();
    const given = locks.enter(writes("a", "b"), controller.signal);
    await settle();
    expect(locks.tryEnter(reads("a"))).toBeUndefined();
    controller.abort(new Error("Stop"));
    await expect(given).rejects.toThrow("Stop");
    expect(locks.tryEnter(reads("a"))).toBeDefined();
    leaveB();
  });

  test("tryEnter() takes all locks or none, and goes before nobody", async () => {
    const locks = new ResourceLocks();
    const leave = locks.tryEnter([...reads("a"), ...writes("b")]);
    expect(leave).toBeDefined();
    expect(locks.tryEnter([...writes("c"), ...writes("b")])).toBeUndefined();
    const leaveC = locks.tryEnter(writes("c"));
    expect(leaveC).toBeDefined();
    const leaveReader = locks.tryEnter(reads("a"));
    expect(leaveReader).toBeDefined();
    const waiting = locks.enter(writes("a"));
    await settle();
    expect(locks.tryEnter(reads("a"))).toBeUndefined();
    leave?.();
    leaveReader?.();
    (await waiting)();
    expect(locks.tryEnter(writes("a", "b"))).toBeDefined();
  });

  test("asks for a key named twice once, as a writer if either is one", async () => {
    const locks = new ResourceLocks();
    const leave = await locks.enter([...reads("a"), ...writes("a"), ...reads("a")]);
    expect(locks.tryEnter(reads("a"))).toBeUndefined();
    leave();
    expect(locks.tryEnter(writes("a"))).toBeDefined();
  });

  test("two calls that name the same keys in other orders do not wait for each other", async () => {
    const { order, visit, leave } = visitor(new ResourceLocks());
    void visit("one", writes("a", "b", "c"));
    void visit("two", writes("c", "b", "a"));
    void visit("three", writes("b", "a"));
    await settle();
    leave("one");
    await settle();
    leave("two");
    await settle();
    expect(order).toEqual(["one", "two", "three"]);
  });

  test("never has two writers, or a writer and a reader, of one key inside, and ends", async () => {
    const lock = fc.record({
      key: fc.constantFrom("a", "b", "c"),
      mode: fc.constantFrom("shared" as const, "exclusive" as const),
    });
    const call = fc.record({
      wanted: fc.array(lock, { maxLength: 4 }),
      stays: fc.nat(3),
      aborts: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
        const locks = new ResourceLocks();
        const inside: ResourceLock[] = [];
        const work = calls.map(async ({ wanted, stays, aborts }) => {
          const controller = new AbortController();
          const given = locks.enter(wanted, controller.signal);
          if (aborts) setImmediate(() => controller.abort(new Error("Stop")));
          const leave = await given.catch(() => undefined);
          if (leave === undefined) return;
          const held = [...new Map(wanted.map((one) => [`${one.key} ${one.mode}`, one])).values()];
          const others = inside.slice();
          for (const { key, mode } of held) {
            for (const other of others)
              expect(other.key === key && (mode === "exclusive" || other.mode === "exclusive")).toBe(false);
          }
          inside.push(...held);
          for (let turn = 0; turn < stays; turn++) await settle();
          for (const one of held) inside.splice(inside.indexOf(one), 1);
          leave();
        });
        await Promise.all(work);
        expect(inside).toEqual([]);
        expect(locks.tryEnter(writes("a", "b", "c"))).toBeDefined();
      }),
    );
  });
});
