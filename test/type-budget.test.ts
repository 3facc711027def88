import { expect, test } from "vitest";
import { TypeScriptProject } from "./support/typescript-project.ts";

/** What the compiler may do for one tool with a Zod schema: a fifth more than the 1,016 instantiations it took. */
const budget = 1_220;
const tools = 50;

function writeTool(number: number): string {
  return `export const tool${number} = defineTool({
  name: "tool_${number}",
  description: "Does ${number}.",
  parameters: z.object({
    path: z.string().min(1),
    limit${number}: z.number().int().default(${number}),
    mode: z.enum(["fast", "slow"]).optional(),
    options: z.object({ depth: z.number(), tags: z.array(z.string()) }).partial(),
  }),
  effects: ({ path }) => [{ kind: "read", target: path, within: true }],
  execute: async ({ path, limit${number}, options }) => ({ path, limit${number}, tags: options.tags ?? [] }),
});
`;
}

async function countInstantiations(toolCount: number): Promise<number> {
  const definitions = Array.from({ length: toolCount }, (_, number) => writeTool(number)).join("");
  const text = `import { defineTool } from "haft";\nimport { z } from "zod";\n${definitions}`;
  using project = new TypeScriptProject([["tools.ts", text]]);
  const said = await project.compile("--extendedDiagnostics", "--singleThreaded");
  expect(said).not.toContain("error TS");
  return Number(/^Instantiations: +(\d+)$/m.exec(said)?.[1]);
}

test("the types of a tool with a Zod schema cost the compiler little", async () => {
  const [one, many] = await Promise.all([countInstantiations(1), countInstantiations(1 + tools)]);
  const perTool = (many - one) / tools;
  expect(perTool).toBeLessThan(budget);
  // Far below, it is the budget that is wrong.
  expect(perTool).toBeGreaterThan(budget / 2);
});
