import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PacedOutput } from "./paced-output.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("PacedOutput shows the first piece at once, then at most one every 50 ms, and the last when it ends", () => {
  const shown: string[] = [];
  {
    using output = new PacedOutput((text) => shown.push(text));
    for (const piece of ["a", "b", "c"]) output.push(piece);
    expect(shown).toEqual(["a"]);
    vi.advanceTimersByTime(50);
    expect(shown).toEqual(["a", "bc"]);
    output.push("d");
    output.push("e");
  }
  expect(shown).toEqual(["a", "bc", "d", "e"]);
});
