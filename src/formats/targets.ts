import {
  type DescribedTool,
  type JsonSchema,
  type LLMTarget,
  type McpTool,
  requireTarget,
  type TargetTool,
  type ToolInfo,
  toJsonSchema,
} from "../kernel/index.ts";
import { convertParameters, requireObject } from "./convert.ts";
import { expandSchema, requireReferences } from "./expand.ts";

/**
 * Writes a tool as one kind of model API takes it. What the API does not take in a schema (references, a union at the
 * root, limits it does not know) is rewritten, and its meaning kept in a description. The same tool always gives the
 * same definition.
 *
 * @throws {TypeError} for a schema whose root is no object, or with a reference that leads nowhere.
 * @throws {TargetError} TARGET_UNKNOWN
 *
 * @example
 * ```ts
 * const tool = { name: "add", description: "Add two numbers.", annotations: {} };
 * const { definition } = toTargetTool(
 *   tool,
 *   { type: "object", properties: { a: { type: "number" } } },
 *   "anthropic",
 * );
 * definition.name; // → "add"
 * definition.input_schema["type"]; // → "object"
 * ```
 */
export function toTargetTool<Target extends LLMTarget>(
  tool: DescribedTool,
  schema: JsonSchema,
  target: Target,
): TargetTool<Target>;
export function toTargetTool(tool: DescribedTool, schema: JsonSchema, target: LLMTarget): TargetTool {
  requireTarget(target);
  if (target === "mcp") return { definition: toMcpTool(tool, schema) };
  const { name } = tool;
  const { parameters, words, restore } = convertParameters(schema, target);
  const description = words === undefined ? tool.description : `${tool.description}\n\nArguments: ${words}`;
  const back = restore === undefined ? {} : { restore };
  switch (target) {
    case "openai":
      return { definition: { type: "function", function: { name, description, parameters } }, ...back };
    case "openai-strict":
      return {
        definition: { type: "function", function: { name, description, parameters, strict: true } },
        ...back,
      };
    case "anthropic":
      return { definition: { name, description, input_schema: parameters }, ...back };
    case "gemini": {
      const takesNone = Object.keys(parameters["properties"] as object).length === 0;
      return { definition: { name, description, ...(!takesNone && { parameters }) }, ...back };
    }
    default:
      return target satisfies never;
  }
}

function toMcpTool(
  { name, title, description, annotations, icons, output }: DescribedTool,
  schema: JsonSchema,
): McpTool {
  const { readOnly = false, destructive = !readOnly, idempotent = false, openWorld = true } = annotations;
  const outputSchema = readOutputSchema(output);
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: toObjectSchema(schema),
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: {
      ...(title !== undefined && { title }),
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
    ...(icons !== undefined && { icons }),
  };
}

/** Undefined where the tool promises nothing, or in a form that cannot be shown: its results are the same. */
function readOutputSchema(output: ToolInfo["output"]): JsonSchema | undefined {
  if (output === undefined) return undefined;
  try {
    return toJsonSchema(output);
  } catch {
    return undefined;
  }
}

/**
 * The schema as it is, but said to be an object. Its references must all lead somewhere: a client follows
 * them itself.
 */
function toObjectSchema(schema: JsonSchema): JsonSchema {
  requireReferences(schema);
  requireObject("$ref" in schema ? expandSchema(schema) : schema);
  return schema["type"] === "object" ? schema : { ...schema, type: "object" };
}
