import { expect, test } from "vitest";
import { parseSince } from "./since.ts";

const now = Date.parse("2026-11-22T12:00:00Z");

test.for([
  ["90s", "2026-11-22T11:58:30.000Z"],
  ["1.5h", "2026-11-22T10:30:00.000Z"],
  ["7d", "2026-11-15T12:00:00.000Z"],
  ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"],
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
] as const)("parseSince(%j) is %s", ([text, moment]) => {
  expect(new Date(parseSince(text, now)).toISOString()).toBe(moment);
});

test.for(["yesterday", "2", "-2h", "2026-13-45", "2y", ""])("parseSince() refuses %j", (text) => {
  expect(() => parseSince(text, now)).toThrow(expect.objectContaining({ code: "CLI_ARGUMENT" }));
});
