import { TargetError } from "../errors.ts";
import { type JsonSchema, toJsonSchema } from "../tool/schema.ts";
import type { ToolIcon, ToolInfo } from "../tool/tool-info.ts";
import { convertParameters, requireObject } from "./convert.ts";
import { expandSchema, requireReferences } from "./expand.ts";

/** The kinds of model API that tools can be offered to. `mcp` takes JSON Schema 2020-12 as it is. */
export const llmTargets = ["openai", "openai-strict", "anthropic", "gemini", "mcp"] as const;
export type LLMTarget = (typeof llmTargets)[number];

/** @throws {TargetError} TARGET_UNKNOWN for anything that is not one of {@link llmTargets}. */
export function requireTarget(target: LLMTarget): void {
  if (llmTargets.includes(target)) return;
  throw new TargetError(
    "TARGET_UNKNOWN",
    `Cannot convert tools for "${String(target)}": it is no kind of model API that haft knows; use one of ${llmTargets.join(", ")}`,
  );
}

/** A tool in the wire form of one API, and the way back from the arguments that a model gave for it. */
export interface TargetTool<Target extends LLMTarget = LLMTarget> {
  readonly definition: TargetDefinitions[Target];
  /** Arguments as the tool itself takes them. Absent where both forms are the same. Never throws. */
  readonly restore?: (args: unknown) => unknown;
}

/** The wire form of each target. */
export interface TargetDefinitions {
  readonly openai: OpenAITool;
  readonly "openai-strict": OpenAITool;
  readonly anthropic: AnthropicTool;
  readonly gemini: GeminiTool;
  readonly mcp: McpTool;
}

/** A function tool of the chat completions form. */
export type OpenAITool = {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
    readonly strict?: true;
  };
};

/** A tool of the messages form. */
export type AnthropicTool = {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
};

/** A function declaration. `parameters` is absent for a tool that takes none. */
export type GeminiTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters?: JsonSchema;
};

/** A tool as `tools/list` has it, with the hints that the protocol would assume spelt out. */
export type McpTool = {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** A schema of any type; clients before 2026-07-28 take objects only. */
  readonly outputSchema?: JsonSchema;
  readonly annotations: {
    readonly title?: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  readonly icons?: readonly ToolIcon[];
};

/** What a definition says of a tool beside its parameters. */
export type DescribedTool = Pick<
  ToolInfo,
  "name" | "title" | "description" | "annotations" | "icons" | "output"
>;

/**
 * The tool as one kind of model API takes it. What the API does not take in a schema (references, a union at the
 * root, limits it does not know) is rewritten, and its meaning kept in a description. The same tool always gives
 * the same definition.
 *
 * @throws {TypeError} for a schema whose root is no object, or with a reference that leads nowhere.
 * @throws {TargetError} TARGET_UNKNOWN
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
  const outputSchema = outputSchemaOf(output);
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
function outputSchemaOf(output: ToolInfo["output"]): JsonSchema | undefined {
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
