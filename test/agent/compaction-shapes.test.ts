import fc from "fast-check";
import { expect, test } from "vitest";
import { findLimit } from "../../src/agent/compaction/plan.ts";
import { compactionShapes } from "../fixtures/agent/compaction-shapes.ts";
import { live, type Outcome, type Shape } from "../support/compaction-world.ts";

/** A whole proof has 2,000. */
const conversations = Number(process.env["HAFT_CONVERSATIONS"] ?? 60);

/** Checks the rules that hold for every conversation. */
function check(
  { window = 40_000, answers = 4_000, counts = 1, results = [] }: Shape,
  outcome: Outcome,
): void {
  const { requests, happened, refusals } = outcome;
  expect(refusals).toEqual([]);
  // It ends: two requests a step, one of them in vain, and two summaries.
  expect(requests.length).toBeLessThanOrEqual(4 * (results.length + 4));
  // Summaries in a row: none but two with fewer than five steps and no message between.
  let inRow = 0;
  let steps = 0;
  for (const one of happened) {
    if (one === "step") steps++;
    if (one === "said") inRow = 0;
    if (one !== "summarise") continue;
    inRow = steps >= 5 ? 1 : inRow + 1;
    steps = 0;
    expect(inRow, happened.join()).toBeLessThanOrEqual(2);
  }
  // No request is larger than may be, as far as can be known before the provider has counted one.
  const limit = findLimit({ contextTokens: window, answerTokens: answers });
  if (counts <= 1) for (const { counted } of requests) expect(counted).toBeLessThanOrEqual(limit);
}

test.for(compactionShapes.map((shape) => [shape.name, shape] as const))("%s", async ([, shape]) => {
  const outcome = await live(shape);
  check(shape, outcome);
  const { end, requests, happened } = outcome;
  const how = end.state === "paused" ? end.why : end.state === "stopped" ? end.stop : end.state;
  expect(how, JSON.stringify(end)).toBe(shape.ends);
  const summaries = happened.filter((one) => one === "summarise").length;
  const [least, most] = shape.summaries ?? [0, Number.POSITIVE_INFINITY];
  expect(summaries).toBeGreaterThanOrEqual(least);
  expect(summaries).toBeLessThanOrEqual(most);
  const steps = requests.filter(({ isSummary }) => !isSummary);
  if (shape.keeps !== undefined)
    for (const { text } of steps) expect(text.includes(shape.keeps), text.slice(0, 3_000)).toBe(true);
  const { loses } = shape;
  if (loses !== undefined) expect(requests.filter(({ text }) => text.includes(loses)).length).toBe(0);
});

test("any conversation, model and provider: it ends, no request is too large, and none is refused", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        window: fc.integer({ min: 8_000, max: 200_000 }),
        answers: fc.integer({ min: 500, max: 32_000 }),
        counts: fc.constantFrom(0.6, 1, 1.3, 3),
        system: fc.integer({ min: 0, max: 100_000 }),
        says: fc.integer({ min: 1, max: 60_000 }).map((chars) => "s".repeat(chars)),
        results: fc.array(
          fc.oneof(fc.integer({ min: 0, max: 6_000 }), fc.integer({ min: 0, max: 200_000 })),
          {
            maxLength: 25,
          },
        ),
        writes: fc.integer({ min: 1, max: 6_000 }),
        summary: fc.constantFrom("good", "empty", "fails", "refuses", "endless", "cut off", "calls a tool"),
      }),
      async (shape) => check({ name: "any", ...shape }, await live({ name: "any", ...shape })),
    ),
    { numRuns: conversations },
  );
}, 3_600_000);
