import fc from "fast-check";
import { expect, test } from "vitest";
import { isDeeperThan } from "./json-depth.ts";
import { scanJson } from "./scan-json.ts";

function measureDepth(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(measureDepth));
}

test("scanJson() and isDeeperThan() know the depth of any JSON value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const depth = measureDepth(value);
      expect(scanJson(JSON.stringify(value)).depth).toBe(depth);
      expect([isDeeperThan(value, depth), isDeeperThan(value, depth - 1)]).toEqual([false, depth > 0]);
    }),
  );
});

test("scanJson() ends on any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'[]{}"\\-+.eE0123456789 ,:a'.split("")) }), (text) => {
      expect(scanJson(text).depth).toBeLessThanOrEqual(text.length);
    }),
  );
});

test("scanJson() finds the numbers that would be changed, and no others", () => {
  const exact = [
    "0",
    "-1",
    "1.5",
    "1e308",
    "9007199254740993.5",
    "123456789012345",
    "1152921504606846976",
    "0.1234567890123456789",
  ];
  const inexact = ["9007199254740993", "-12345678901234567890", "1e309", "-1E+999", `1${"0".repeat(400)}`];
  expect(exact.map((number) => scanJson(`[${number}]`).inexactNumbers)).toEqual(exact.map(() => []));
  expect(inexact.map((number) => scanJson(`[${number}]`).inexactNumbers)).toEqual(
    inexact.map((number) => [number.slice(0, 40)]),
  );
});
