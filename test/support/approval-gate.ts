import { join } from "node:path";
import type { Store } from "../../src/app/store/index.ts";
import { ToolRegistry } from "../../src/index.ts";
import { defineTool, type ExecutorOptions, ToolExecutor } from "../../src/kernel/index.ts";

export interface GateOptions extends ExecutorOptions {
  /** The one thing that must not happen more often than it was allowed. */
  readonly ran: (n: number) => void;
  /** @default "1" */
  readonly version?: string;
}

/** A gate over a store with one tool, `act {n}`, that always asks. */
export function openGate(store: Store, { ran, version = "1", ...options }: GateOptions): ToolExecutor {
  const registry = new ToolRegistry();
  registry.register(
    defineTool({
      name: "act",
      version,
      description: "Does something once.",
      category: "custom",
      parameters: {
        type: "object",
        properties: { n: { type: "integer" }, how: { type: "string" } },
        required: ["n"],
        additionalProperties: false,
      } as const,
      effects: ({ n, how = "" }) => [{ kind: "run", target: `act ${n} ${how}`.trim(), within: false }],
      execute: ({ n }) => {
        ran(n);
        return "done";
      },
    }),
  );
  const { approvals, grants, ledger } = store;
  return new ToolExecutor(registry, {
    rules: [],
    maxQuestions: Number.POSITIVE_INFINITY,
    approvals,
    grants,
    ledger,
    ...options,
  });
}

/** The path of the file in which processes write what they did. */
export function sideEffects(path: string): string {
  return join(path, "../ran.txt");
}
