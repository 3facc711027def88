import { isRecord } from "../../base/index.ts";
import type { ToolRegistry } from "../../kernel/index.ts";
import type { ModelFacts } from "../../model/index.ts";

/**
 * Converts arguments from the form that the model was shown to the form that the tool takes. The arguments inside
 * `call_tool` have the form of the inner tool's definition.
 */
export function readArguments(
  registry: Pick<ToolRegistry, "get" | "fromLLMArguments">,
  name: string,
  given: unknown,
  { dialect }: Pick<ModelFacts, "dialect">,
): unknown {
  const args = registry.fromLLMArguments(name, given, dialect);
  const inner = isRecord(args) ? registry.get(name)?.unwrap?.(args) : undefined;
  if (inner === undefined || !isRecord(args)) return args;
  return { ...args, arguments: registry.fromLLMArguments(inner.name, inner.params, dialect) };
}
