import { isRecord } from "../../base/index.ts";
import type { ToolRegistry } from "../../kernel/index.ts";
import type { ModelFacts } from "../../model/index.ts";

/**
 * The arguments of a call as its tool takes them, of those that a model gave in its own form. A call inside of `call_tool` was
 * written by the definition of the tool that is meant.
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
