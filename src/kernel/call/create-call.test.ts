import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createTestExecutor } from "../../../test/support/test-executor.ts";
import { defineTool } from "../tool/tool.ts";
import type { Call, CallSoFar, DecidedCall, FoundCall, ResolvedCall, TracedCall, ValidCall } from "./call.ts";

test("each state of a call has what its step has made, and nothing that a later one makes", () => {
  expectTypeOf<Call>().not.toHaveProperty("tool");
  expectTypeOf<FoundCall>().toHaveProperty("tool");
  expectTypeOf<FoundCall>().not.toHaveProperty("params");
  expectTypeOf<ValidCall>().toHaveProperty("params");
  expectTypeOf<ValidCall>().not.toHaveProperty("trust");
  expectTypeOf<TracedCall>().toHaveProperty("trust");
  expectTypeOf<TracedCall>().not.toHaveProperty("effects");
  expectTypeOf<ResolvedCall>().toHaveProperty("effects");
  expectTypeOf<ResolvedCall>().not.toHaveProperty("decision");
  expectTypeOf<DecidedCall>().toHaveProperty("decision");
  expectTypeOf<DecidedCall>().not.toHaveProperty("partial");
  expectTypeOf<CallSoFar["tool"]>().toExtend<FoundCall["tool"] | undefined>();
});

test("a call's toolset is worked out once, however often its tool looks at it", async () => {
  let asked = 0;
  const look = defineTool({
    name: "look",
    description: "Look.",
    parameters: z.object({}),
    execute: (_params, { toolset }) => [toolset.of("look"), toolset.shown()].length,
  });
  const limits = () => {
    asked++;
    return [];
  };
  const { executor } = createTestExecutor([look], { limits });
  expect(await executor.execute("look", {})).toMatchObject({ success: true, result: 2 });
  expect(asked).toBe(1);
});
