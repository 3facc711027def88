import { z } from "zod";
import { createAgent } from "../../src/agent/index.ts";
import { ToolRegistry } from "../../src/index.ts";
import { defineTool, ToolExecutor } from "../../src/kernel/index.ts";
import type { ChatModel } from "../../src/model/index.ts";
import { findAnswer, type StepRun } from "./steps.ts";

/** The agent of `haft/agent`: loop and gate, in memory, and a model that answers from constants. */
export function createHaftLoop(): StepRun {
  const registry = new ToolRegistry();
  registry.register(
    defineTool({
      name: "echo",
      description: "Echo.",
      parameters: z.strictObject({ text: z.string().min(1) }),
      annotations: { readOnly: true, openWorld: false },
      execute: async ({ text }) => text,
    }),
  );
  const executor = new ToolExecutor(registry);
  return async (steps, asked) => {
    const model = constantModel(steps, asked);
    const agent = createAgent({ model, tools: registry, executor, maxSteps: steps + 1 });
    const end = await agent.send("go");
    if (end.state !== "completed") throw new Error(`Cannot measure the loop: it ${end.state}`);
  };
}

const usage = {
  inputTokens: 0,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** The call that a model asks for. */
export interface ConstantCall {
  readonly name: string;
  readonly input: (step: number) => string;
}

/** Asks for one call in each answer but the last. */
export function constantModel(steps: number, asked: () => void, call?: ConstantCall): ChatModel {
  let before = 0;
  return {
    id: "constant",
    facts: {
      contextTokens: 100_000_000,
      maxOutputTokens: 10_000,
      images: false,
      dialect: "openai",
      cache: "automatic",
      quota: "constant",
    },
    async *stream() {
      asked();
      const { text, input: given } = findAnswer(before, steps);
      const input = given === undefined ? undefined : (call?.input(before) ?? given);
      const name = call?.name ?? "echo";
      const id = `call_${++before}`;
      if (input === undefined) {
        yield { type: "text", delta: text };
        yield {
          type: "end",
          stop: "end",
          message: { role: "assistant", parts: [{ type: "text", text }] },
          usage,
        };
        return;
      }
      yield { type: "call-start", id, name };
      yield { type: "call-delta", id, delta: input };
      const parts = [{ type: "call", id, name, input }] as const;
      yield { type: "end", stop: "calls", message: { role: "assistant", parts }, usage };
    },
  };
}
