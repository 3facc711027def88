import { z } from "zod";
import { defineTool, type Tool, unwrapCallTool } from "../../../kernel/index.ts";
import { SelectionError } from "./errors.ts";
import { handleParameter } from "./parameters.ts";

const parameters = z.strictObject({
  name: z.string().describe("The name of the tool"),
  arguments: z.record(z.string(), z.unknown()).default({}).describe("Its arguments, as describe_tools says"),
  toolset: handleParameter,
});

export function callToolTool(): Tool {
  return defineTool({
    name: "call_tool",
    title: "Call a tool",
    description:
      "Call a tool that is not in your list, by name. It is the same as a call of the tool itself: the same rules, " +
      "questions and result. Know its parameters first, from search_tools or describe_tools.",
    category: "system",
    parameters,
    // What it stands for may do anything; the gate goes by what that tool says of itself.
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    unwrap: unwrapCallTool,
    // Of a call that stays wrapped nobody knows what is secret in it.
    secretParams: ["arguments"],
    execute() {
      throw new SelectionError(
        "CALL_WRAPPED",
        'Cannot call a tool by these arguments: give "name" and "arguments", and wrap no call in more than three others',
      );
    },
  });
}
