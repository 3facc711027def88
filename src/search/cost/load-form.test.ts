import { expect, test } from "vitest";
import { chooseLoadForm } from "./load-form.ts";
import { cacheTerms } from "./prompt-cost.ts";

test("chooseLoadForm() leaves the beginning of a request alone from about 4,000 tokens on, where it is cached", () => {
  for (const target of ["anthropic", "openai", "gemini"] as const) {
    const sizes = Array.from({ length: 200 }, (_, at) => at * 100);
    const choose = (request: number) => chooseLoadForm({ request, loaded: 300 }, cacheTerms[target]);
    const from = sizes.find((request) => choose(request) === "called") ?? 0;
    expect(from).toBeGreaterThan(2_000);
    expect(from).toBeLessThan(6_500);
    expect(sizes.filter((request) => request >= from).map(choose)).not.toContain("native");
  }
});

test("chooseLoadForm() puts tools among the others where nothing is cached, however long the request is", () => {
  expect(chooseLoadForm({ request: 200_000, loaded: 300 }, undefined)).toBe("native");
});
