import { expect, expectTypeOf, test } from "vitest";
import { createTestExecutor } from "../../../test/support/test-executor.ts";
import { defineTool } from "../tool/tool.ts";
import type { ToolResult } from "./result.ts";

const parameters = { type: "object" } as const;
const { executor } = createTestExecutor([
  defineTool({ name: "one", description: "Gives one.", parameters, execute: () => 1 }),
]);

test("`success` tells a result from a failure, and each has what the other does not", async () => {
  const read = (outcome: ToolResult<number>): number | string => {
    expectTypeOf(outcome.text).toEqualTypeOf<string>();
    expectTypeOf(outcome.notes).toEqualTypeOf<readonly string[]>();
    if (outcome.success) {
      expectTypeOf(outcome.result).toEqualTypeOf<number>();
      expectTypeOf(outcome).not.toHaveProperty("code");
      return outcome.result;
    }
    expectTypeOf(outcome.code).toEqualTypeOf<string>();
    expectTypeOf(outcome.stillRunning).toEqualTypeOf<true | undefined>();
    expectTypeOf(outcome).not.toHaveProperty("result");
    return outcome.code;
  };
  expect(read((await executor.run("one", {})) as ToolResult<number>)).toBe(1);
  expect(read((await executor.run("two", {})) as ToolResult<number>)).toBe("TOOL_NOT_FOUND");
});

test("a result that nobody described is unknown", async () => {
  const outcome = await executor.run("one", {});
  expectTypeOf(outcome).toEqualTypeOf<ToolResult>();
  if (outcome.success) expectTypeOf(outcome.result).toEqualTypeOf<unknown>();
  expect(outcome).toHaveProperty("result", 1);
});
