import { importPeer } from "../harness.ts";
import { findAnswer, type StepRun } from "./steps.ts";

const text = { type: "string", minLength: 1 } as const;
const parameters = {
  type: "object",
  properties: { text },
  required: ["text"],
  additionalProperties: false,
} as const;

/** The smallest loop: a list of messages, and the call of a function. */
export function createFloorLoop(): StepRun {
  return async (steps, asked) => {
    const messages: object[] = [{ role: "user", content: "go" }];
    for (let step = 0; ; step++) {
      asked();
      const { text: said, input } = await Promise.resolve(findAnswer(step, steps));
      messages.push({ role: "assistant", said, input });
      if (input === undefined) return;
      const { text: given } = JSON.parse(input) as { text: string };
      messages.push({ role: "tool", content: await Promise.resolve(given) });
    }
  };
}

interface PiAgent {
  readonly Agent: new (options: object) => { prompt(text: string): Promise<void> };
}

interface PiAi {
  readonly createAssistantMessageEventStream: () => { push(event: object): void; end(message: object): void };
}

/** The pieces in which each of pi's own providers streams an answer that comes at once. */
function listPieces(whole: unknown, said: string, input: string | undefined): readonly object[] {
  return input === undefined
    ? [{ type: "text_start" }, { type: "text_delta", delta: said }, { type: "text_end", content: said }]
    : [
        { type: "toolcall_start" },
        { type: "toolcall_delta", delta: input },
        { type: "toolcall_end", toolCall: whole },
      ];
}

const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
const mock = { api: "mock", provider: "mock", model: "mock" };

export async function createPiLoop(): Promise<StepRun> {
  const { Agent } = await importPeer<PiAgent>("@mariozechner/pi-agent-core");
  const { createAssistantMessageEventStream } = await importPeer<PiAi>("@mariozechner/pi-ai");
  const tools = [
    {
      name: "echo",
      label: "Echo",
      description: "Echo.",
      parameters,
      execute: async (_id: string, params: { text: string }) => ({
        content: [{ type: "text", text: params.text }],
        details: {},
      }),
    },
  ];
  const model = { id: "mock", ...mock };
  return async (steps, asked) => {
    let before = 0;
    const streamFn = () => {
      asked();
      const { text: said, input } = findAnswer(before++, steps);
      const content =
        input === undefined
          ? [{ type: "text", text: said }]
          : [
              {
                type: "toolCall",
                id: `call_${before}`,
                name: "echo",
                arguments: JSON.parse(input) as object,
              },
            ];
      const stopReason = input === undefined ? "stop" : "toolUse";
      const usage = { ...zero, cost: zero };
      const message = { role: "assistant", content, ...mock, usage, stopReason, timestamp: 0 };
      const stream = createAssistantMessageEventStream();
      stream.push({ type: "start", partial: message });
      for (const part of listPieces(content[0], said, input))
        stream.push({ ...part, contentIndex: 0, partial: message });
      stream.push({ type: "done", reason: stopReason, message });
      stream.end(message);
      return stream;
    };
    const agent = new Agent({ initialState: { systemPrompt: "", model, tools }, streamFn });
    await agent.prompt("go");
  };
}

interface AiSdk {
  readonly generateText: (options: object) => Promise<{ readonly text: string }>;
  readonly tool: (definition: object) => object;
  readonly jsonSchema: (schema: object) => object;
  readonly isStepCount: (count: number) => object;
}

interface AiSdkTest {
  readonly MockLanguageModelV4: new (options: object) => object;
}

export async function createAiLoop(): Promise<StepRun> {
  const { generateText, tool, jsonSchema, isStepCount } = await importPeer<AiSdk>("ai");
  const { MockLanguageModelV4 } = await importPeer<AiSdkTest>("ai/test");
  const execute = async (params: { text: string }) => params.text;
  const tools = { echo: tool({ description: "Echo.", inputSchema: jsonSchema(parameters), execute }) };
  const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
  return async (steps, asked) => {
    let before = 0;
    const doGenerate = async () => {
      asked();
      const { text: said, input } = findAnswer(before++, steps);
      return {
        content:
          input === undefined
            ? [{ type: "text", text: said }]
            : [{ type: "tool-call", toolCallId: `call_${before}`, toolName: "echo", input }],
        finishReason:
          input === undefined
            ? { unified: "stop", raw: "stop" }
            : { unified: "tool-calls", raw: "tool_calls" },
        usage: { inputTokens: tokens, outputTokens: tokens },
        warnings: [],
      };
    };
    const model = new MockLanguageModelV4({ doGenerate });
    await generateText({ model, tools, prompt: "go", stopWhen: isStepCount(steps + 1) });
  };
}

interface OpenAiAgents {
  readonly Agent: new (options: object) => object;
  readonly Runner: new (
    options: object,
  ) => {
    run(agent: object, input: string, options: object): Promise<{ readonly finalOutput: unknown }>;
  };
  readonly Usage: new (options: object) => object;
  readonly tool: (definition: object) => object;
}

export async function createOpenAiLoop(): Promise<StepRun> {
  const { Agent, Runner, Usage, tool } = await importPeer<OpenAiAgents>("@openai/agents");
  const echo = tool({
    name: "echo",
    description: "Echo.",
    parameters,
    strict: true,
    execute: async (params: { text: string }) => params.text,
  });
  const runner = new Runner({ tracingDisabled: true });
  return async (steps, asked) => {
    let before = 0;
    const getResponse = async () => {
      asked();
      const { text: said, input } = findAnswer(before++, steps);
      const usage = new Usage({ inputTokens: 1, outputTokens: 1, totalTokens: 2 });
      const output =
        input === undefined
          ? {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: said }],
            }
          : {
              type: "function_call",
              callId: `call_${before}`,
              name: "echo",
              arguments: input,
              status: "completed",
            };
      return { usage, output: [output] };
    };
    const agent = new Agent({ name: "a", instructions: "", tools: [echo], model: { getResponse } });
    await runner.run(agent, "go", { maxTurns: steps + 1 });
  };
}
