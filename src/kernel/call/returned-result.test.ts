import { expect, test } from "vitest";
import { z } from "zod";
import { createTestExecutor } from "../../../test/support/test-executor.ts";
import { defineTool } from "../tool/tool.ts";

function run(returned: unknown) {
  const tool = defineTool({
    name: "work",
    description: "Work.",
    parameters: z.object({}),
    execute: () => Promise.resolve(returned),
  });
  return createTestExecutor([tool]).executor.execute("work", {});
}

test("A tool that returns {success: false, error} has failed, in its own words, with what else it returned", async () => {
  expect(await run({ success: false, error: "no such city", city: "Ys" })).toMatchObject({
    success: false,
    code: "TOOL_FAILED",
    error: "no such city",
    details: { city: "Ys" },
  });
});

test("A tool that returns a whole {success: true, result} has returned that result", async () => {
  expect(await run({ success: true, result: { degrees: 3 }, startedAt: 1, completedAt: 2 })).toMatchObject({
    success: true,
    result: { degrees: 3 },
  });
});

test.for([
  { success: true, bytes: 3 },
  { success: false },
  { success: "no", error: "what?" },
  { success: true, result: 1, startedAt: 1, more: 2 },
])("A tool that returns %j has returned just that", async (returned) => {
  expect(await run(returned)).toMatchObject({ success: true, result: returned });
});
