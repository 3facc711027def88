import { z } from "zod";
import {
  type Decision,
  defineTool,
  type Effect,
  type JudgedCall,
  PermissionPolicy,
  type Rule,
  type Tool,
  type ToolAnnotations,
} from "../../src/kernel/index.ts";

/** A tool named `read_file`, for policies to judge. */
export function toolWith(annotations: ToolAnnotations = {}, category = "custom"): Tool {
  return defineTool({
    name: "read_file",
    description: "Read a file.",
    category,
    annotations,
    parameters: z.any(),
    execute: () => "",
  });
}

export function effect(kind: Effect["kind"], target: string, within = true): Effect {
  return { kind, target, within };
}

export function decide(
  rules: readonly Rule[],
  effects: readonly Effect[] = [],
  params: unknown = {},
  tool: Tool = toolWith(),
): Decision {
  return new PermissionPolicy(rules).decide(judgedCall({ tool, params, effects })).decision;
}

/** A trusted call of {@link toolWith}'s tool, as far as `part` does not say otherwise. */
export function judgedCall(part: Partial<JudgedCall> = {}): JudgedCall {
  return { tool: toolWith(), params: {}, effects: [], context: {}, trust: "trusted", ...part };
}
