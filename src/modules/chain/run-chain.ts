import { z } from "zod";
import { checkChain, mostChainSteps, planSteps, runSteps } from "../../formats/index.ts";
import { defineTool, type Tool } from "../../kernel/index.ts";

const step = z.strictObject({
  id: z.string().describe("Short and unique, such as `list`; later steps refer to it."),
  tool: z.string().describe("The name of the tool."),
  arguments: z
    .record(z.string(), z.unknown())
    .default({})
    .describe(
      'Its arguments. {"$from": "ID/POINTER"} in place of a value takes it from the result of step ID.',
    ),
  after: z
    .array(z.string())
    .default([])
    .describe("Steps that have to be done before, though nothing of theirs is used."),
});

/** Calls that the model strings together itself: decided together, and run without a turn of the model between them. */
export function runChain(): Tool {
  const name = "run_chain";
  return defineTool({
    name,
    title: "Run a chain of calls",
    description: `Make several calls of tools in one go, where later ones take values from the results of earlier ones by JSON Pointer. Steps that need nothing of each other run at once. The user is asked once for all of them. The first that fails ends the chain. Use it when you know all the calls beforehand; to loop or decide in between, call the tools one by one.

Example: {"steps": [{"id": "page", "tool": "http_get", "arguments": {"url": "https://example.com/list.json"}}, {"id": "list", "tool": "json_parse", "arguments": {"text": {"$from": "page/body"}}}], "result": {"$from": "list/data/0"}}`,
    category: "system",
    verify: "look at what its steps were to change; the steps before the last may have been done",
    parameters: z.strictObject({
      steps: z.array(step).min(1).max(mostChainSteps),
      result: z
        .unknown()
        .optional()
        .describe("What to return, with references as in arguments. Default: the result of the last step."),
    }),
    composes: ({ steps }) => {
      checkChain({ name, steps });
      return planSteps(steps, {});
    },
    execute: ({ steps, result }, context) => runSteps({ name, steps, result }, {}, context),
  });
}
