import { expect, test } from "vitest";
import { describeRetry } from "./retry-text.ts";

const base = { why: "Cannot get it", next: "openai-compatible/qwen3" };

test("describeRetry() says who does not answer, when it is tried again, and how often", () => {
  expect(
    describeRetry({
      ...base,
      code: "CONNECT_FAILED",
      waitMs: 4000,
      retry: { number: 2, of: 3 },
      origin: "http://127.0.0.1:9",
    }),
  ).toBe("the server at 127.0.0.1:9 does not answer; trying again in 4 s (2 of 3)");
  expect(describeRetry({ ...base, code: "MODEL_OVERLOADED", waitMs: 300, retry: { number: 1, of: 3 } })).toBe(
    "the provider is overloaded; trying again now (1 of 3)",
  );
});

test("describeRetry() names the model that is asked instead, and repeats an error that it has no words for", () => {
  expect(describeRetry({ ...base, code: "MODEL_QUOTA", waitMs: 0 })).toBe(
    "the account of the provider is used up; asking openai-compatible/qwen3 now",
  );
  expect(describeRetry({ ...base, code: "OTHER", waitMs: 0 })).toContain("Cannot get it;");
});
