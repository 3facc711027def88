import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, isRecord, parseJson } from "./json.ts";

test("canonicalJson() gives the same text for the same value, whatever the order of its keys", () => {
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: "x" })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("canonicalJson() writes what JSON.stringify() with a replacer that sorts keys would write", () => {
  const replaced = (value: unknown) =>
    JSON.stringify(value, (_key, part: unknown) =>
      isRecord(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : Number(a > b))))
        : part,
    );
  const self = { b: 1, a: 2, toJSON: () => self };
  const odd = [new Date(0), new URL("http://a/"), Buffer.from("b"), new Uint8Array(2), new Map(), self];
  for (const value of [odd, { 10: 1, 9: 2, b: undefined, a: () => 1 }, [undefined, () => 1, Number.NaN]])
    expect(canonicalJson(value)).toBe(replaced(value));
  fc.assert(
    fc.property(fc.object({ key: fc.oneof(fc.string(), fc.nat().map(String)) }), (value) => {
      expect(canonicalJson(value)).toBe(replaced(value));
    }),
  );
  expect(() => canonicalJson({ a: 1n })).toThrow(TypeError);
});

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, shuffled(part)]),
  );
}

test("canonicalJson() keeps apart what differs", () => {
  const values = [
    null,
    0,
    "0",
    "",
    [],
    {},
    [0],
    { a: 0 },
    { a: null },
    ["a", 0],
    JSON.parse('{"__proto__":1}'),
    true,
    "true",
  ];
  expect(new Set(values.map(canonicalJson)).size).toBe(values.length);
  expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
  expect(canonicalJson(undefined)).toBe("null");
});

test("isRecord() is true of objects that are no arrays", () => {
  expect([{}, Object.create(null), new Date()].map(isRecord)).toEqual([true, true, true]);
  expect([null, [], "x", 1, undefined, () => {}].map(isRecord)).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("parseJson() gives the value, or undefined for what is no JSON", () => {
  expect(['{"a":1}', "null", " 1 ", '"x"'].map(parseJson)).toEqual([{ a: 1 }, null, 1, "x"]);
  expect(["", "{", "undefined", "NaN", "{'a':1}", "1 2"].map(parseJson)).toEqual(
    Array.from({ length: 6 }, () => undefined),
  );
});
