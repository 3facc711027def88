import { getErrorMessage, isRecord } from "../../base/index.ts";
import { type ChainStep, checkChain, mostChainSteps, planSteps, runSteps } from "../../formats/index.ts";
import { type Tool, type ToolContext } from "../../kernel/index.ts";
import type { Fields } from "../fields.ts";

/** Calls of other tools, fed from each other. */
export interface ChainWork {
  readonly kind: "chain";
  readonly steps: readonly ChainStep[];
  readonly result: unknown;
}

/** Reads `steps` and `result`. */
export function readChainWork(fields: Fields, name: string): ChainWork {
  const listed = fields.objects("steps", mostChainSteps);
  const steps = listed.flatMap(readStep);
  const result = fields.raw("result");
  try {
    if (steps.length === listed.length) checkChain({ name, steps, result });
  } catch (error) {
    fields.invalid("steps", getErrorMessage(error));
  }
  return { kind: "chain", steps, result };
}

function readStep(fields: Fields): ChainStep[] {
  const id = fields.text("id", { required: true, most: 64 });
  const tool = fields.text("tool", { required: true, most: 80 });
  const given = fields.raw("arguments") ?? {};
  if (!isRecord(given)) fields.invalid("arguments", "it must be an object with the arguments of the tool");
  const after = fields.texts("after", { mostItems: mostChainSteps, most: 64 });
  fields.refuseOthers();
  if (id === undefined || tool === undefined || !isRecord(given)) return [];
  return [{ id, tool, arguments: given, after }];
}

export function chainBehaviour(
  name: string,
  { steps, result }: ChainWork,
): Pick<Tool, "composes" | "execute"> {
  return {
    composes: (input: never) => planSteps(steps, input),
    execute: (input: never, context: ToolContext) => runSteps({ name, steps, result }, input, context),
  };
}
