import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createTestExecutor, settle } from "../../../test/support/test-executor.ts";
import { defineTool } from "../tool/tool.ts";

describe("ToolExecutor.cancel()", () => {
  const waiting = defineTool({
    name: "wait",
    description: "Wait until it is stopped.",
    parameters: z.object({}),
    execute: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  });

  test("ends a call on its way, with the calls that it made, as its caller could", async () => {
    const outer = defineTool({
      name: "outer",
      description: "Call another tool.",
      parameters: z.object({}),
      composes: true,
      execute: async (_, context) => (await context.call("wait", {})).text,
    });
    const { executor } = createTestExecutor([waiting, outer]);
    const pending = executor.execute("outer", {}, { callId: "c_1" });
    await settle();
    expect(executor.cancel("c_1", "person:console")).toBe(true);
    expect(executor.cancel("c_1", "person:console")).toBe(false);
    expect(await pending).toMatchObject({
      code: "TOOL_CANCELLED",
      error: expect.stringContaining("person:console cancelled it"),
    });
    expect(executor.cancel("c_1", "person:console")).toBe(false);
  });

  test("knows no call of another id", async () => {
    const { executor } = createTestExecutor([waiting]);
    const caller = new AbortController();
    const pending = executor.execute("wait", {}, { callId: "c_1", signal: caller.signal });
    await settle();
    expect(executor.cancel("c_2", "person:console")).toBe(false);
    caller.abort(new Error("enough"));
    expect(executor.cancel("c_1", "person:console")).toBe(false);
    expect(await pending).toMatchObject({ code: "TOOL_CANCELLED" });
  });
});
