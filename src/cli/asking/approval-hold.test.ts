import { expect, test } from "vitest";
import type { GrantTerm } from "../../kernel/index.ts";
import { describeHold, formatHold } from "./approval-hold.ts";

const day = 86_400_000;
const now = new Date(2026, 0, 31, 12).getTime();
const held = (term: GrantTerm) => ({ remember: { offer: "exact", term }, now, decayMs: 30 * day });

test.for([
  ["session", "until its session ends, or it is unused for 30 days"],
  ["always", "until it is revoked or unused for 30 days"],
  [day, "until 2026-02-01 12:00:00"],
  [60 * day, "unused for 30 days"],
] as const)("describeHold() tells when an answer for %s ends", ([term, text]) => {
  expect(describeHold(held(term))).toContain(text);
});

test("a yes to a project's own programs does not end unused", () => {
  const heldFor = (term: GrantTerm) => ({ ...held(term), remember: { offer: "project", term } });
  expect(describeHold(heldFor("always"))).toBe("until it is revoked");
  expect(describeHold(heldFor("session"))).toBe("until its session ends");
  expect(describeHold(heldFor(60 * day))).not.toContain("unused");
  expect(formatHold(heldFor("always"))).toEqual({});
});

test("formatHold() gives a date to what has one, and how long it may be unused", () => {
  expect(formatHold(held(90 * day))).toEqual({ holdsUntil: now + 90 * day, endsUnusedAfterMs: 30 * day });
  expect(formatHold(held("always"))).toEqual({ endsUnusedAfterMs: 30 * day });
});
