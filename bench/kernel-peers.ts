import { importPeer } from "./harness.ts";
import { type EchoParams, echo, echoArgs, echoJsonSchema } from "./kernel-floor.ts";

interface Mastra {
  readonly createTool: (definition: {
    readonly id: string;
    readonly description: string;
    readonly inputSchema: unknown;
    readonly execute: (input: EchoParams) => Promise<string>;
  }) => { execute(input: EchoParams): Promise<unknown> };
}

export async function createMastraTool(inputSchema: unknown): Promise<() => Promise<unknown>> {
  const { createTool } = await importPeer<Mastra>("@mastra/core/tools");
  const tool = createTool({ id: "echo", description: "Echo.", inputSchema, execute: echo });
  if ((await tool.execute(echoArgs)) !== "/tmp/a:10:true")
    throw new Error("Cannot use Mastra's tool as it is used here");
  return () => tool.execute(echoArgs);
}

interface PiAgent {
  readonly runAgentLoop: (
    prompts: readonly object[],
    context: object,
    config: object,
    emit: (event: { readonly type: string; readonly isError?: boolean }) => void,
    signal: undefined,
    streamFn: () => object,
  ) => Promise<readonly object[]>;
}

interface PiAi {
  readonly createAssistantMessageEventStream: () => { push(event: object): void; end(message: object): void };
}

/** A step of pi's loop whose model asks for so many calls of the last of `toolCount` tools, and then is done. */
export async function createPiStep(toolCount: number): Promise<(calls: number) => Promise<unknown>> {
  const { runAgentLoop } = await importPeer<PiAgent>("@mariozechner/pi-agent-core");
  const { createAssistantMessageEventStream } = await importPeer<PiAi>("@mariozechner/pi-ai");
  const tools = Array.from({ length: toolCount }, (_, index) => ({
    name: `tool_${index}`,
    label: "Echo",
    description: "Echo.",
    parameters: echoJsonSchema,
    execute: async (_id: string, params: EchoParams) => ({
      content: [{ type: "text", text: await echo(params) }],
      details: {},
    }),
  }));
  const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const answer = (content: readonly object[], stopReason: string) => ({
    role: "assistant",
    content,
    api: "mock",
    provider: "mock",
    model: "mock",
    usage: { ...zero, totalTokens: 0, cost: zero },
    stopReason,
    timestamp: 0,
  });
  const config = {
    model: { id: "mock", api: "mock", provider: "mock" },
    convertToLlm: (messages: unknown) => messages,
  };
  return async (calls) => {
    let turn = 0;
    let ran = 0;
    const streamFn = () => {
      const content = Array.from({ length: turn++ === 0 ? calls : 0 }, (_, index) => ({
        type: "toolCall",
        id: `c${index}`,
        name: `tool_${toolCount - 1}`,
        arguments: { ...echoArgs },
      }));
      const message = answer(content, content.length > 0 ? "toolUse" : "stop");
      const stream = createAssistantMessageEventStream();
      stream.push({ type: "start", partial: message });
      stream.push({ type: "done", reason: message.stopReason, message });
      stream.end(message);
      return stream;
    };
    const prompt = { role: "user", content: "go", timestamp: 0 };
    const context = { systemPrompt: "", messages: [], tools };
    await runAgentLoop(
      [prompt],
      context,
      config,
      ({ type, isError }) => {
        if (type === "tool_execution_end" && isError === false) ran++;
      },
      undefined,
      streamFn,
    );
    if (ran !== calls)
      throw new Error(`Cannot use pi's loop as it is used here: ${ran} of ${calls} calls ran`);
  };
}

interface AiSdk {
  readonly generateText: (options: object) => Promise<{ readonly toolResults: readonly unknown[] }>;
  readonly tool: (definition: object) => object;
}

interface AiSdkTest {
  readonly MockLanguageModelV4: new (options: object) => { readonly doGenerateCalls: unknown[] };
}

/** A step of the AI SDK whose model asks for so many calls in its one answer. */
export async function createAiStep(inputSchema: unknown): Promise<(calls: number) => Promise<unknown>> {
  const { generateText, tool } = await importPeer<AiSdk>("ai");
  const { MockLanguageModelV4 } = await importPeer<AiSdkTest>("ai/test");
  const tools = { echo: tool({ description: "Echo.", inputSchema, execute: echo }) };
  const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
  let calls = 0;
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({
      content: Array.from({ length: calls }, (_, index) => ({
        type: "tool-call",
        toolCallId: `c${index}`,
        toolName: "echo",
        input: JSON.stringify(echoArgs),
      })),
      finishReason: { unified: "tool-calls", raw: "tool_calls" },
      usage: { inputTokens: tokens, outputTokens: tokens },
      warnings: [],
    }),
  });
  return async (wanted) => {
    calls = wanted;
    const { toolResults } = await generateText({ model, tools, prompt: "go" });
    model.doGenerateCalls.length = 0;
    if (toolResults.length !== wanted) throw new Error("Cannot use the AI SDK as it is used here");
  };
}
