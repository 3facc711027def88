import { parseJson } from "../base/index.ts";
import type { JsonSchema } from "../kernel/index.ts";
import { type AdapterOptions, AgentTools, type ToolHost } from "./agent-tools.ts";
import { type AgentToolOutput, describeResult, listParts } from "./tool-output.ts";

/** A function tool of the OpenAI Agents SDK. It needs nothing of that package. */
export interface OpenAIAgentsTool {
  type: "function";
  name: string;
  description: string;
  parameters: ObjectSchema;
  strict: false;
  /** Whether haft would ask a person about exactly this call: then the run is interrupted. */
  needsApproval: (runContext: unknown, input: unknown, callId?: string) => Promise<boolean>;
  /** Takes the arguments as JSON text. A call that fails gives its message, as the SDK's own tools do. */
  invoke: (runContext: unknown, input: string, details?: OpenAIAgentsCall) => Promise<OpenAIAgentsOutput>;
  isEnabled: () => Promise<boolean>;
}

interface ObjectSchema {
  type: "object";
  properties: Record<string, never>;
  required: string[];
  additionalProperties: true;
}

interface OpenAIAgentsCall {
  readonly toolCall?: { readonly callId: string };
  readonly signal?: AbortSignal;
}

type OpenAIAgentsOutput =
  | string
  | (
      | { type: "text"; text: string }
      | { type: "image"; image: { data: string; mediaType: string } }
      | { type: "file"; file: { data: string; mediaType: string; filename: string } }
    )[];

/**
 * The tools in the form of the OpenAI Agents SDK. A call that haft asks about becomes an interruption; `state.approve`
 * and `state.reject` answer it, for that call alone.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({ name: "now", description: "Tell the time.", parameters: z.object({}), execute: () => "noon" }),
 * );
 * const tools = await toOpenAIAgents({ registry, executor: new ToolExecutor(registry) });
 * // const agent = new Agent({ name: "Helper", model, tools });
 * tools[0]?.name; // → "now"
 * ```
 */
export async function toOpenAIAgents(
  host: ToolHost,
  options: AdapterOptions = {},
): Promise<OpenAIAgentsTool[]> {
  const tools = await AgentTools.open("openai-agents", host, options);
  return tools.offered.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    parameters: toObjectSchema(parameters),
    strict: false,
    needsApproval: async (_runContext, args, id) => (await tools.asks({ name, args, id })) !== undefined,
    invoke: async (_runContext, input, { toolCall, signal } = {}) => {
      const args = parseJson(input) ?? input;
      return toAgentOutput(describeResult(await tools.execute({ name, args, id: toolCall?.callId, signal })));
    },
    isEnabled: async () => true,
  }));
}

/** The SDK wants each of these keys; the gate checks the arguments. */
function toObjectSchema(schema: JsonSchema): ObjectSchema {
  const { properties = {}, required = [] } = schema as Partial<ObjectSchema>;
  return { ...schema, type: "object", properties, required, additionalProperties: true };
}

function toAgentOutput(output: AgentToolOutput): OpenAIAgentsOutput {
  if (output.parts === undefined) return output.text;
  return listParts(output).map((part, at) => {
    if (part.type === "text") return { ...part };
    const { data, mediaType } = part;
    if (mediaType.startsWith("image/")) return { type: "image", image: { data, mediaType } };
    return { type: "file", file: { data, mediaType, filename: `part-${at + 1}` } };
  });
}
