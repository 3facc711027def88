import { type AdapterOptions, AgentTools, type FrameworkCall, type ToolHost } from "./agent-tools.ts";
import { type AgentToolOutput, listParts, RunningOutput, toOutput } from "./tool-output.ts";
import { UpdateQueue } from "./update-queue.ts";

/** What the adapter needs of the package `ai`. */
export interface AISDKParts<Schema> {
  readonly jsonSchema: (schema: never) => Schema;
}

/** A tool for `generateText`, `streamText` or a `ToolLoopAgent` of the AI SDK 7. */
export interface AISDKTool<Schema> {
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Schema;
  /** Whether haft would ask a person about exactly this call. */
  readonly needsApproval: (input: unknown, options: { readonly toolCallId: string }) => Promise<boolean>;
  /** Yields what the call has put out so far, then its result. Throws if it fails. */
  readonly execute: (input: unknown, options: AISDKCall) => AsyncGenerator<AgentToolOutput, void>;
  readonly toModelOutput: (options: { readonly output: AgentToolOutput }) => AISDKOutput;
}

interface AISDKCall {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
}

type AISDKOutput =
  | { type: "text"; value: string }
  | {
      type: "content";
      value: (
        | { type: "text"; text: string }
        | { type: "file"; data: { type: "data"; data: string }; mediaType: string }
      )[];
    };

/**
 * The tools in the AI SDK's form. A call that haft asks about becomes a tool approval request; the approval that comes
 * back is the answer, for that call alone.
 *
 * @example
 * ```ts
 * // With the package `ai`: import { jsonSchema } from "ai";
 * const jsonSchema = (schema: object) => ({ jsonSchema: schema });
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({ name: "now", description: "Tell the time.", parameters: z.object({}), execute: () => "noon" }),
 * );
 * const tools = await toAISDK({ registry, executor: new ToolExecutor(registry) }, { jsonSchema });
 * // const { text } = await generateText({ model, tools, prompt: "What time is it?" });
 * tools["now"]?.description; // → "Tell the time."
 * ```
 */
export async function toAISDK<Schema>(
  host: ToolHost,
  { jsonSchema }: AISDKParts<Schema>,
  options: AdapterOptions = {},
): Promise<Record<string, AISDKTool<Schema>>> {
  const tools = await AgentTools.open("ai-sdk", host, options);
  return Object.fromEntries(
    tools.offered.map(({ name, description, parameters, info: { title } }) => [
      name,
      {
        ...(title !== undefined && { title }),
        description,
        inputSchema: jsonSchema(parameters as never),
        needsApproval: async (args, { toolCallId: id }) =>
          (await tools.asks({ name, args, id })) !== undefined,
        execute: (args, { toolCallId: id, abortSignal: signal }) => run(tools, { name, args, id, signal }),
        toModelOutput: ({ output }) => toModelOutput(output),
      },
    ]),
  );
}

async function* run(tools: AgentTools, call: FrameworkCall): AsyncGenerator<AgentToolOutput, void> {
  const updates = new UpdateQueue();
  const running = new RunningOutput();
  const result = tools.execute({ ...call, onUpdate: updates.push }).finally(updates.end);
  for await (const update of updates) yield running.add(update);
  yield toOutput(await result);
}

function toModelOutput(output: AgentToolOutput): AISDKOutput {
  if (output.parts === undefined) return { type: "text", value: output.text };
  return {
    type: "content",
    value: listParts(output).map((part) => {
      if (part.type === "text") return { ...part };
      const { data, mediaType } = part;
      return { type: "file", data: { type: "data", data }, mediaType };
    }),
  };
}
