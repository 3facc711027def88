import { isRecord } from "../../../base/index.ts";
import { type Tool, ToolContent, type ToolContext } from "../../../kernel/index.ts";

type ExecuteWithCallId = (toolCallId: string, args: unknown) => unknown;

/** A tool written for `execute(toolCallId, args)`, which returns `{output, details?}`, in haft's form. */
export function withCallId(tool: Tool): Tool {
  const execute = tool.execute as unknown as ExecuteWithCallId;
  return {
    ...tool,
    execute: async (params: unknown, { callId }: ToolContext) =>
      toContent(await execute.call(tool, callId, params)),
  };
}

function toContent(value: unknown): unknown {
  if (!isRecord(value) || typeof value["output"] !== "string") return value;
  return new ToolContent([{ type: "text", text: value["output"] }], value["details"]);
}
