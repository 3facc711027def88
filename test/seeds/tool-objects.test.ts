import { expect, test } from "vitest";
import { z } from "zod";
import { type PlainTool, ToolExecutor, ToolRegistry } from "../../src/index.ts";

// The form of a system whose tools are plain objects that measure and report their own success.
const convert = {
  name: "convert_length",
  description: "Convert metres to another unit.",
  category: "custom",
  parameters: z.object({ metres: z.number(), unit: z.string().optional() }),
  async execute(params: unknown) {
    const { metres, unit = "ft" } = params as { metres: number; unit?: string };
    const startedAt = Date.now();
    const told = { startedAt, completedAt: Date.now(), durationMs: 0 };
    if (unit !== "ft") return { success: false, error: `no unit "${unit}" here`, ...told };
    return { success: true, result: metres / 0.3048, ...told };
  },
} satisfies PlainTool;

test("a plain tool object registers, asks as one that says nothing of itself, and runs once it is allowed", async () => {
  const registry = new ToolRegistry();
  registry.register(convert);
  expect(registry.get("convert_length")).toMatchObject({ annotations: {}, version: "1" });
  expect(registry.listByCategory("custom").map(({ name }) => name)).toEqual(["convert_length"]);
  const careful = new ToolExecutor(registry);
  expect(await careful.execute("convert_length", { metres: 1 })).toMatchObject({ code: "TOOL_PERMISSION" });
  const executor = new ToolExecutor(registry, { rules: [{ decision: "allow", tool: "convert_length" }] });
  expect(await executor.execute("convert_length", { metres: 0.3048 })).toMatchObject({
    success: true,
    result: 1,
  });
  expect(await executor.execute("convert_length", { metres: 1, unit: "ell" })).toMatchObject({
    success: false,
    error: 'no unit "ell" here',
  });
});
