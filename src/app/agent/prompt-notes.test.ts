import { afterEach, expect, test, vi } from "vitest";
import { noteTime } from "./prompt-notes.ts";

afterEach(() => vi.unstubAllEnvs());

test.for([
  ["Europe/Berlin", "It is Wednesday, 25 November 2026 at 02:49 (Europe/Berlin, GMT+0100)."],
  ["America/New_York", "It is Tuesday, 24 November 2026 at 20:49 (America/New_York, GMT-0500)."],
  // What is no name of a zone is written as V8 names the zone that it means.
  ["CET-1CEST", "It is Wednesday, 25 November 2026 at 01:49 (Coordinated Universal Time, GMT+0000)."],
  ["Europe/Nowhere", "It is Wednesday, 25 November 2026 at 01:49 (GMT+00:00, GMT+0000)."],
] as const)("noteTime() names the zone of TZ=%s", ([zone, text]) => {
  vi.stubEnv("TZ", zone);
  expect(noteTime(Date.parse("2026-11-25T01:49:07Z")).text).toBe(text);
});
