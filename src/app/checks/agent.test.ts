import { expect, test } from "vitest";
import type { SessionStep } from "../../modules/usage/index.ts";
import { listFallen } from "./agent.ts";

/** Steps of a session, the newest first, by the cached part of 100 tokens. */
function steps(sessionId: string, ...cached: readonly number[]): readonly SessionStep[] {
  return cached.map((cacheReadTokens, at) => ({
    sessionId,
    model: "test/scripted",
    at: 100 - at,
    inputTokens: 100,
    cacheReadTokens,
  }));
}

test("listFallen() names a session whose cache served less than half of three steps in a row", () => {
  expect(listFallen([...steps("fallen", 49, 0, 10, 80, 0), ...steps("fine", 90, 0, 0, 0, 80)])).toEqual([
    "fallen",
  ]);
});

test("listFallen() has nothing to say of two steps, nor of a provider that caches nothing", () => {
  expect(listFallen([...steps("two", 0, 0, 90), ...steps("none", 0, 0, 0, 0, 0)])).toEqual([]);
});
