import { expect, test } from "vitest";
import { PlainHeaders } from "./plain-headers.ts";

const given: readonly (ConstructorParameters<typeof PlainHeaders>[0] | undefined)[] = [
  undefined,
  {},
  { "User-Agent": " haft ", "x-b": "2", "X-A": "1" },
  [
    ["b", "1"],
    ["A", "2"],
    ["B", "\t3 "],
  ],
  new Headers({ Authorization: "Bearer key" }),
];

test.each(given)("PlainHeaders holds %j as the global Headers does", (init) => {
  const [own, global] = [new PlainHeaders(init), new Headers(init)];
  for (const headers of [own, global]) {
    headers.append("X-Many", "one");
    headers.append("x-many", "two ");
    headers.set("X-Set", "before");
    headers.set("x-set", " after");
    headers.append("X-Gone", "here");
    headers.delete("x-gone");
  }
  expect([...own]).toEqual([...global]);
  expect([...own.entries()]).toEqual([...global.entries()]);
  for (const name of ["x-many", "X-SET", "x-gone", "User-Agent"]) {
    expect(own.get(name)).toBe(global.get(name));
    expect(own.has(name)).toBe(global.has(name));
  }
  const seen: string[][] = [];
  own.forEach((value, name) => seen.push([name, value]));
  expect(seen).toEqual([...global]);
});
