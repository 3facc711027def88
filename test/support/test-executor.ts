import { z } from "zod";
import { ToolRegistry } from "../../src/index.ts";
import {
  type ArtifactPage,
  type ArtifactRef,
  type ArtifactStore,
  type DefinedTool,
  defineTool,
  type ExecutorOptions,
  type Ledger,
  type LedgerCall,
  type LedgerOutcome,
  type NewArtifact,
  type Rule,
  type Tool,
  type ToolEvent,
  ToolExecutor,
} from "../../src/kernel/index.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/index.ts";

export const allowAll: readonly Rule[] = [{ decision: "allow" }];

/** A tool that gives back its text. */
export const echo: DefinedTool<z.ZodObject<{ text: z.ZodString }, z.core.$strict>, string> = defineTool({
  name: "echo",
  description: "Give back a text.",
  parameters: z.strictObject({ text: z.string() }),
  execute: async ({ text }) => text,
});

export interface TestExecutor {
  readonly executor: ToolExecutor;
  readonly registry: ToolRegistry;
  readonly clock: FakeClock;
  /** What the executor told its `onError`. */
  readonly errors: unknown[];
}

/** An executor whose time stands still until it is moved, and which allows everything unless it is told otherwise. */
export function createTestExecutor(tools: readonly Tool[], options: ExecutorOptions = {}): TestExecutor {
  const clock = createFakeClock(1_000_000);
  const errors: unknown[] = [];
  const registry = new ToolRegistry();
  registry.registerMany(tools);
  const executor = new ToolExecutor(registry, {
    rules: allowAll,
    clock,
    onError: (error) => errors.push(error),
    ...options,
  });
  return { executor, registry, clock, errors };
}

/** Lets everything happen that can happen without time passing. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

export class RecordingLedger implements Ledger {
  readonly entries: (
    | { readonly started: LedgerCall }
    | { readonly ended: LedgerCall; readonly outcome: LedgerOutcome }
  )[] = [];

  async start(call: LedgerCall): Promise<void> {
    this.entries.push({ started: call });
  }

  async end(call: LedgerCall, outcome: LedgerOutcome): Promise<void> {
    this.entries.push({ ended: call, outcome });
  }
}

export class RecordingArtifacts implements ArtifactStore {
  readonly kept: NewArtifact[] = [];

  async put(artifact: NewArtifact): Promise<ArtifactRef> {
    this.kept.push(artifact);
    return { id: `x_${this.kept.length}`, chars: artifact.data.length };
  }

  async readText(
    _scope: string,
    id: string,
    { offset, length }: { readonly offset: number; readonly length: number },
  ): Promise<ArtifactPage | undefined> {
    const { data, trust = "trusted" } = this.#find(id) ?? {};
    if (typeof data !== "string") return undefined;
    return { text: data.slice(offset, offset + length), offset, totalChars: data.length, trust };
  }

  async readBytes(_scope: string, id: string): Promise<Uint8Array | undefined> {
    const data = this.#find(id)?.data;
    return typeof data === "string" ? new TextEncoder().encode(data) : data;
  }

  #find(id: string): NewArtifact | undefined {
    return this.kept[Number(id.slice(2)) - 1];
  }
}

/** The types of the events of an executor, as they come. */
export function collectEvents(executor: ToolExecutor): ToolEvent[] {
  const events: ToolEvent[] = [];
  executor.events.on((event) => events.push(event));
  return events;
}
