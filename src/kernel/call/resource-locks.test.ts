import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Lane, Lanes, toLocks } from "./resource-locks.ts";

const reads = (...keys: string[]): Lane[] => keys.map((key) => ({ key, mode: "shared" }));
const writes = (...keys: string[]): Lane[] => keys.map((key) => ({ key, mode: "exclusive" }));
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Enters, and tells who is inside. */
function visitor(lanes: Lanes) {
  const inside = new Set<string>();
  const order: string[] = [];
  const leave = new Map<string, () => void>();
  const visit = (name: string, wanted: readonly Lane[], signal?: AbortSignal) =>
    lanes.enter(wanted, signal).then((left) => {
      inside.add(name);
      order.push(name);
      leave.set(name, () => {
        inside.delete(name);
        left();
      });
    });
  return { inside, order, visit, leave: (name: string) => leave.get(name)?.() };
}

test("lanesOf() gives each path one lane, exclusive if anything changes it", () => {
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

describe("Lanes", () => {
  test("has readers of one key overlap, and a writer alone", async () => {
    const { inside, visit, leave } = visitor(new Lanes());
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
    const { order, visit, leave } = visitor(new Lanes());
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
    const lanes = new Lanes();
    const { order, visit, leave } = visitor(lanes);
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
    await expect(lanes.enter(writes("a"), controller.signal)).rejects.toBe(reason);
    expect(lanes.tryEnter(writes("a"))).toBeDefined();
  });

  test("enter() gives back the lanes it has when it is aborted at a later one", async () => {
    const lanes = new Lanes();
    const leaveB = await lanes.enter(writes("b"));
    const controller = new AbortController();
    const given = lanes.enter(writes("a", "b"), controller.signal);
    await settle();
    expect(lanes.tryEnter(reads("a"))).toBeUndefined();
    controller.abort(new Error("Stop"));
    await expect(given).rejects.toThrow("Stop");
    expect(lanes.tryEnter(reads("a"))).toBeDefined();
    leaveB();
  });

  test("tryEnter() takes all lanes or none, and goes before nobody", async () => {
    const lanes = new Lanes();
    const leave = lanes.tryEnter([...reads("a"), ...writes("b")]);
    expect(leave).toBeDefined();
    expect(lanes.tryEnter([...writes("c"), ...writes("b")])).toBeUndefined();
    const leaveC = lanes.tryEnter(writes("c"));
    expect(leaveC).toBeDefined();
    const leaveReader = lanes.tryEnter(reads("a"));
    expect(leaveReader).toBeDefined();
    const waiting = lanes.enter(writes("a"));
    await settle();
    expect(lanes.tryEnter(reads("a"))).toBeUndefined();
    leave?.();
    leaveReader?.();
    (await waiting)();
    expect(lanes.tryEnter(writes("a", "b"))).toBeDefined();
  });

  test("asks for a key named twice once, as a writer if either is one", async () => {
    const lanes = new Lanes();
    const leave = await lanes.enter([...reads("a"), ...writes("a"), ...reads("a")]);
    expect(lanes.tryEnter(reads("a"))).toBeUndefined();
    leave();
    expect(lanes.tryEnter(writes("a"))).toBeDefined();
  });

  test("two calls that name the same keys in other orders do not wait for each other", async () => {
    const { order, visit, leave } = visitor(new Lanes());
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
    const lane = fc.record({
      key: fc.constantFrom("a", "b", "c"),
      mode: fc.constantFrom("shared" as const, "exclusive" as const),
    });
    const call = fc.record({
      wanted: fc.array(lane, { maxLength: 4 }),
      stays: fc.nat(3),
      aborts: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
        const lanes = new Lanes();
        const inside: Lane[] = [];
        const work = calls.map(async ({ wanted, stays, aborts }) => {
          const controller = new AbortController();
          const given = lanes.enter(wanted, controller.signal);
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
        expect(lanes.tryEnter(writes("a", "b", "c"))).toBeDefined();
      }),
    );
  });
});
