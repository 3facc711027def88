import { expect, test } from "vitest";
import type { BudgetUse } from "../../agent/index.ts";
import { describeWayOn, isUnpriced, offerRaise } from "./raise-budget.ts";

const pausedAt = (budget: BudgetUse) => ({ state: "paused", why: "budget", text: "", budget }) as const;
const words = { resume: "/resume", runId: "run_1" };

test("a dollar more is offered, above what is spent already", () => {
  const end = pausedAt({ scope: "run", kind: "micros", limit: 500_000, spent: 521_000 });
  expect(offerRaise(end)).toEqual({
    about: "It has spent $0.52 of $0.50.",
    question: "Go on with $1 more? (y/N)",
    resumed: { usd: 1.521 },
  });
  // Rounded up: what the words say is not less than what the question gives.
  expect(describeWayOn(end, words)).toBe("haft run --resume run_1 --budget 1.53 goes on");
});

test("as much again is offered of tokens", () => {
  const end = pausedAt({ scope: "run", kind: "tokens", limit: 50_000, spent: 49_500 });
  expect(offerRaise(end)).toEqual({
    about: "It has spent 49,500 tokens of 50,000 tokens, and the rest does not suffice for another answer.",
    question: "Go on with 50,000 tokens more? (y/N)",
    resumed: { limits: { tokens: 100_000 } },
  });
  expect(describeWayOn(end, words)).toContain("/resume at a terminal asks whether it goes on with more");
});

test("nothing is offered at a limit of a day, nor at the end of anything else", () => {
  const day = pausedAt({ scope: "agent-day", kind: "micros", limit: 1, spent: 1 });
  expect(offerRaise(day)).toBeUndefined();
  expect(describeWayOn(day, words)).toBe(
    "/resume goes on tomorrow, or once `agent.budget.agentDay` is raised",
  );
  const steps = { state: "paused", why: "steps", text: "" } as const;
  expect(offerRaise(steps)).toBeUndefined();
  expect(describeWayOn(steps, words)).toBe("/resume goes on");
});

test("describeWayOn() says that a model without a price needs one before its run can go on", () => {
  const end = { state: "paused", why: "budget", text: "Nobody knows what this model costs" } as const;
  expect(isUnpriced(end)).toBe(true);
  expect(describeWayOn(end, { resume: "/resume", runId: "r" })).toBe(
    "once the model has `prices` in the configuration, /resume goes on",
  );
  expect(isUnpriced({ ...end, why: "steps" })).toBe(false);
});
