import type { JsonSchema } from "../../base/index.ts";
import { TargetError } from "../errors.ts";
import type { ToolIcon, ToolInfo } from "../tool/tool-info.ts";

/** The kinds of model API that tools can be offered to. `mcp` takes JSON Schema 2020-12 as it is. */
export const llmTargets = ["openai", "openai-strict", "anthropic", "gemini", "mcp"] as const;

/** One of {@link llmTargets}. */
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
 * Writes a tool in the form of one kind of model API. `toTargetTool` of `formats/` implements it. Throws where the
 * tool can't be offered to that API.
 */
export type ToolFormatter = (tool: DescribedTool, schema: JsonSchema, target: LLMTarget) => TargetTool;
