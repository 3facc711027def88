import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { Pace } from "./pace.ts";

const pace = () => {
  const clock = createFakeClock();
  const made = new Pace({
    burst: 100,
    perSecond: 10,
    floodMs: 1000,
    clock,
    toFlood: () => new Error("a flood"),
  });
  return { pace: made, clock };
};

describe("Pace", () => {
  test("lets answers through as fast as they were asked for, however long that goes on", () => {
    const { pace: ours } = pace();
    for (let round = 0; round < 1000; round++) {
      for (let asked = 0; asked < 64; asked++) ours.expect();
      expect(ours.take(64)).toBeUndefined();
    }
  });

  test("makes a sender of what nobody asked for wait, and then leaves it", async () => {
    const { pace: ours, clock } = pace();
    expect(ours.take(100)).toBeUndefined();
    const waited = ours.take(5);
    expect(waited).toBeInstanceOf(Promise);
    await clock.advance(500);
    await waited;
    expect(() => ours.take(10)).toThrow("a flood");
  });

  test("saves up no more than a burst by asking", () => {
    const { pace: ours } = pace();
    for (let asked = 0; asked < 1000; asked++) ours.expect();
    expect(ours.take(100)).toBeUndefined();
    expect(ours.take(1)).toBeInstanceOf(Promise);
  });
});
