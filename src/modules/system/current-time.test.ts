import { afterEach, expect, test, vi } from "vitest";
import { createTestExecutor } from "../../../test/support/test-executor.ts";
import { currentTimeTool } from "./current-time.ts";

afterEach(() => vi.restoreAllMocks());

test("current_time makes the formats of a zone once, and tells the time of each moment", async () => {
  const clock = { now: () => Date.parse("2026-03-29T00:59:59Z"), after: () => () => {} };
  const { executor } = createTestExecutor([currentTimeTool(clock)]);
  const tell = async () => (await executor.execute("current_time", { timezone: "Europe/Berlin" })).text;
  expect(await tell()).toContain("2026-03-29T01:59:59+01:00");
  const make = vi.spyOn(Intl, "DateTimeFormat");
  clock.now = () => Date.parse("2026-03-29T01:00:00Z");
  expect(await tell()).toContain("2026-03-29T03:00:00+02:00");
  expect(make).not.toHaveBeenCalled();
});

test("current_time without a zone follows the machine's own", async () => {
  const clock = { now: () => Date.parse("2026-06-01T12:00:00Z"), after: () => () => {} };
  const { executor } = createTestExecutor([currentTimeTool(clock)]);
  vi.stubEnv("TZ", "Asia/Tokyo");
  try {
    expect((await executor.execute("current_time", {})).text).toContain("2026-06-01T21:00:00+09:00");
    vi.stubEnv("TZ", "America/New_York");
    expect((await executor.execute("current_time", {})).text).toContain("2026-06-01T08:00:00-04:00");
  } finally {
    vi.unstubAllEnvs();
  }
});
