import { expect, test } from "vitest";
import { describeGiveUp } from "./give-up.ts";

const tool = { name: "read", description: "x".repeat(4_000), parameters: { type: "object" } };
const given = {
  model: "openai/small",
  plan: { do: "give-up", prefixTokens: 9_000, entryTokens: 1_500, unreadTokens: 1_200 },
  room: { prefixTokens: 9_000, limit: 10_000 },
  prefix: {
    model: "openai/small",
    system: [
      { text: "Be brief. ".repeat(400) },
      { text: "You like tea. ".repeat(60), about: "memory" },
      { text: "", about: "memory" },
    ],
    tools: [tool],
  },
} as const;

test("describeGiveUp() says what takes the room, part by part, and what to do", () => {
  expect(describeGiveUp(given)).toMatch(
    /^The conversation has no room left in openai\/small\. What takes it, in tokens by our estimate: tools 1,0\d\d, instructions 1,0\d\d, memory 2\d\d, the newest message 1,200, the other entries 300\. A request may have 10,000 tokens\. Begin a new conversation, .* `contextTokens` /,
  );
});

test("describeGiveUp() leaves out what takes nothing, and adds what the provider counted and said", () => {
  const text = describeGiveUp({
    ...given,
    plan: { ...given.plan, unreadTokens: 0, counted: 7_001 },
    prefix: undefined,
    refusal: "prompt is too long",
  });
  expect(text).toContain("by our estimate: the other entries 1,500. After it was made shorter");
  expect(text).toContain("a request may have 6,000 of 10,000 tokens, and its provider counted 7,001.");
  expect(text).toContain("Its provider refused the last one: prompt is too long. Begin");
});
