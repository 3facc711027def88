import { expect, test } from "vitest";
import { readAt } from "../../base/index.ts";
import { type JsonSchema } from "../../kernel/index.ts";
import { compileJsonSchema } from "../../schema/index.ts";
import { agentSchema } from "./models-schema.ts";

const runBudget = readAt(agentSchema, ["properties", "budget", "properties", "run"]) as JsonSchema;

test("a budget of `agent` takes each kind of limit, and no other", async () => {
  const validate = compileJsonSchema(runBudget);
  const takes = async (value: unknown) => (await validate(value)).valid;
  expect(await takes({ usd: 2.5, tokens: 1000, steps: 10, minutes: 1.5 })).toBe(true);
  for (const wrong of [{ usd: -1 }, { tokens: 1.5 }, { steps: 0 }, { minutes: 0 }, { hours: 1 }])
    expect(await takes(wrong)).toBe(false);
});
