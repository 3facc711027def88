import { isRecord } from "../../../base/index.ts";
import { type ToolAnnotations, type ToolInfo, toJsonSchema } from "../../../kernel/index.ts";

/** A tool as `tools/list` shows it. */
export interface McpToolDefinition {
  readonly name: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** `definition` is what the registry makes of the tool for MCP; what it leaves out is taken from the tool. */
export function toDefinition(
  tool: ToolInfo,
  definition: Readonly<Record<string, unknown>>,
): McpToolDefinition {
  const { name, title, description, icons } = tool;
  const annotations = toHints(tool.annotations, title);
  const outputSchema = readOutputSchema(tool);
  const inputSchema = isRecord(definition["inputSchema"]) ? definition["inputSchema"] : {};
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
    ...(icons !== undefined && { icons }),
    ...definition,
    inputSchema: inputSchema["type"] === "object" ? inputSchema : { ...inputSchema, type: "object" },
  };
}

/** Revisions before 2026-07-28 know results that are objects, and no others. */
export function forLegacy(definition: McpToolDefinition): McpToolDefinition {
  const { outputSchema, ...rest } = definition;
  return outputSchema === undefined || outputSchema["type"] === "object" ? definition : rest;
}

function toHints(
  { readOnly, destructive, idempotent, openWorld }: ToolAnnotations,
  title: string | undefined,
): Record<string, unknown> | undefined {
  const hints = {
    ...(title !== undefined && { title }),
    ...(readOnly !== undefined && { readOnlyHint: readOnly }),
    ...(destructive !== undefined && { destructiveHint: destructive }),
    ...(idempotent !== undefined && { idempotentHint: idempotent }),
    ...(openWorld !== undefined && { openWorldHint: openWorld }),
  };
  return Object.keys(hints).length === 0 ? undefined : hints;
}

/** Undefined where the tool promises nothing, or its schema can't be shown: the results are the same without it. */
function readOutputSchema(tool: ToolInfo): Readonly<Record<string, unknown>> | undefined {
  if (tool.output === undefined) return undefined;
  try {
    return toJsonSchema(tool.output);
  } catch {
    return undefined;
  }
}
