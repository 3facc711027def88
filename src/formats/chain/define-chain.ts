import {
  type DefinedTool,
  defineTool,
  type ParameterSchema,
  type ParametersOf,
  type PlannedCall,
  type ToolContext,
  type ToolDefinition,
} from "../../kernel/index.ts";
import type { ChainStep } from "./chain.ts";
import { findSources, inputName, resolveKnown } from "./references.ts";
import { runSteps } from "./run-steps.ts";
import { checkChain } from "./step-order.ts";

/** A tool made of calls of other tools. */
export interface ChainDefinition<Schema extends ParameterSchema>
  extends Omit<ToolDefinition<Schema, unknown>, "execute" | "effects" | "locks" | "composes" | "unwrap"> {
  /** Steps that don't wait for each other run at once. */
  readonly steps: readonly ChainStep[];
  /** What it gives back, with references as in a step. @default the result of the last step; of several, each by its id */
  readonly result?: unknown;
}

/**
 * Makes a tool of a sequence or graph of calls. Each is taken through the gate as any call; one question, before the
 * first is made, shows all of them.
 *
 * @throws {ToolError} TOOL_INVALID for steps that are no chain.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * for (const [name, execute] of [
 *   ["double", (n: number) => n * 2],
 *   ["negate", (n: number) => -n],
 * ] as const)
 *   registry.register(
 *     defineTool({
 *       name,
 *       description: name,
 *       parameters: z.object({ n: z.number() }),
 *       annotations: { readOnly: true, openWorld: false },
 *       execute: ({ n }) => execute(n),
 *     }),
 *   );
 * registry.register(
 *   defineChain({
 *     name: "double_and_negate",
 *     description: "Double a number, then negate it.",
 *     parameters: z.object({ n: z.number() }),
 *     steps: [
 *       { id: "double", tool: "double", arguments: { n: { $from: "input/n" } } },
 *       { id: "negate", tool: "negate", arguments: { n: { $from: "double" } } },
 *     ],
 *   }),
 * );
 * const result = await new ToolExecutor(registry).run("double_and_negate", { n: 3 });
 * result.text; // → "-6"
 * ```
 */
export function defineChain<const Schema extends ParameterSchema>(
  definition: ChainDefinition<Schema>,
): DefinedTool<Schema, unknown> {
  const { steps, result, ...described } = definition;
  checkChain({ name: definition.name, steps, result });
  return defineTool<Schema, unknown>({
    ...described,
    composes: (params: ParametersOf<Schema>) => planSteps(steps, params),
    execute: (params: ParametersOf<Schema>, context: ToolContext) =>
      runSteps({ name: definition.name, steps, result }, params, context),
  });
}

/** The calls of a chain as far as they are known before the first: references to its input are filled in. */
export function planSteps(steps: readonly ChainStep[], input: unknown): PlannedCall[] {
  const known = new Map([[inputName, input]]);
  return steps.map(({ id, tool, arguments: args = {} }) => ({
    id,
    name: tool,
    params: resolveKnown(args, known),
    open: Array.from(findSources(args)).some((source) => source !== inputName),
  }));
}
