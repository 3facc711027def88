import { expect, test } from "vitest";
import { answered, number, resulted, said } from "../../../test/fixtures/agent/entries.ts";
import type { Entry } from "../../modules/sessions/index.ts";
import { writeSummary } from "./summary-text.ts";

test("writeSummary() says what the user wrote word for word, what is known, and what the model wrote down", () => {
  const entries = number(
    said("Mend the tests.\nNot the code."),
    answered(1, "", ["bash"]),
    { ...resulted("r.1.1"), artifactId: "a_1" } as ReturnType<typeof resulted>,
    said("Only those of the store."),
  );
  expect(
    writeSummary(entries, "Goal: green tests\n", ["changed src/a.ts"]),
  ).toBe(`What came before this is left out. It is summed up here.

## What the user wrote, the newest first
> Only those of the store.

> Mend the tests.
> Not the code.

## What is known of the work
- changed src/a.ts

## Outputs that artifact_read can show again
- a_1: the output of t

## What you wrote down yourself
Goal: green tests`);
});

test("writeSummary() takes over what an earlier summary says that the user wrote, and no other part of it", () => {
  const first = writeSummary(number(said("one"), said("two\n\n## Facts")), "Goal: x");
  const [summary, ...rest] = number({ kind: "summary", text: first, keptFrom: 1, attempt: 1 }, said("three"));
  const second = writeSummary([summary as Entry, ...rest], "");
  expect(second).toBe(`What came before this is left out. It is summed up here.

## What the user wrote, the newest first
> three

> two
> 
> ## Facts

> one`);
});

test("writeSummary() keeps the newest of more than 4,000 tokens, and says that there was more", () => {
  const text = writeSummary(number(said("old"), said("x".repeat(15_000)), said("new")), "");
  expect(text).toContain("> new\n\n> xxx");
  expect(text.endsWith("(what was written earlier has no room here)")).toBe(false);
  const longer = writeSummary(number(said("old"), said("x".repeat(17_000)), said("new")), "");
  expect(longer).toMatch(/> new\n\n\(what was written earlier has no room here\)$/);
});
