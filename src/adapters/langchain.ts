import { isRecord } from "../base/index.ts";
import type { AskedCall, JsonSchema } from "../kernel/index.ts";
import {
  type AdapterOptions,
  AgentTools,
  type FrameworkCall,
  type GivenAnswer,
  type ToolHost,
} from "./agent-tools.ts";
import { type AgentToolOutput, describeResult, listParts } from "./tool-output.ts";

/** What the adapter needs of LangChain: `tool` and `ToolMessage` of `langchain`, `interrupt` of `@langchain/langgraph`. */
export interface LangChainParts<Tool, Message> {
  readonly tool: (
    run: (args: Record<string, unknown>, config: LangChainConfig) => Promise<Message | LangChainContent>,
    fields: { name: string; description: string; schema: LangChainSchema },
  ) => Tool;
  readonly interrupt: (question: HumanRequest) => unknown;
  readonly ToolMessage: new (fields: LangChainMessage) => Message;
}

/** A JSON Schema of an object, as LangChain types it. */
type LangChainSchema = JsonSchema & { type: "object"; properties: Record<string, never> };

interface LangChainConfig {
  readonly toolCall?: { readonly id?: string };
  readonly signal?: AbortSignal;
  /** Takes what `streamMode: "custom"` shows. */
  readonly writer?: (chunk: unknown) => void;
}

interface LangChainMessage {
  content: LangChainContent;
  tool_call_id: string;
  name: string;
  status: "success" | "error";
  artifact: AgentToolOutput;
}

type LangChainContent =
  | string
  | ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[];

/** The question, in the form that LangChain's `humanInTheLoopMiddleware` asks in. */
export interface HumanRequest {
  readonly actionRequests: readonly {
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly description: string;
  }[];
  readonly reviewConfigs: readonly {
    readonly actionName: string;
    readonly allowedDecisions: readonly ["approve", "reject"];
  }[];
}

/**
 * The tools as LangChain's. A call that haft asks about interrupts the graph, which needs a checkpointer for that; it
 * goes on with `new Command({ resume: { decisions: [{ type: "approve" }] } })`, or `{ type: "reject", message }`.
 *
 * @example
 * ```ts
 * // With LangChain: import { tool, ToolMessage } from "langchain"; import { interrupt } from "@langchain/langgraph";
 * const tool = (_run: unknown, { name }: { name: string }) => ({ name });
 * const interrupt = () => ({ decisions: [{ type: "approve" }] });
 * class ToolMessage {}
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({ name: "now", description: "Tell the time.", parameters: z.object({}), execute: () => "noon" }),
 * );
 * const tools = await toLangChain(
 *   { registry, executor: new ToolExecutor(registry) },
 *   { tool, interrupt, ToolMessage },
 * );
 * // const agent = createAgent({ model, tools, checkpointer: new MemorySaver() });
 * tools; // → [{ name: "now" }]
 * ```
 */
export async function toLangChain<Tool, Message>(
  host: ToolHost,
  { tool, interrupt, ToolMessage }: LangChainParts<Tool, Message>,
  options: AdapterOptions = {},
): Promise<Tool[]> {
  const tools = await AgentTools.open("langchain", host, options);
  return tools.offered.map(({ name, description, parameters }) =>
    tool(
      async (args, { toolCall, signal, writer }) => {
        const call = { name, args, id: toolCall?.id, signal, onUpdate: writer };
        const asked = await tools.asks(call);
        const answer = asked && readDecision(interrupt(toRequest(call, asked)));
        const result = await tools.execute(call, answer);
        const artifact = describeResult(result);
        const content = toContent(artifact);
        if (toolCall?.id === undefined) return content;
        const status = result.success ? "success" : "error";
        return new ToolMessage({ content, artifact, status, name, tool_call_id: toolCall.id });
      },
      { name, description, schema: { properties: {}, ...parameters, type: "object" } },
    ),
  );
}

function toRequest({ name, args }: FrameworkCall, { toolTitle, effects }: AskedCall): HumanRequest {
  const does = effects.map(({ kind, target }) => `${kind} ${target}`).join(", ");
  return {
    actionRequests: [
      {
        name,
        args: isRecord(args) ? args : {},
        description: does === "" ? toolTitle : `${toolTitle}: ${does}`,
      },
    ],
    reviewConfigs: [{ actionName: name, allowedDecisions: ["approve", "reject"] }],
  };
}

/** Anything but a clear yes is a no. */
function readDecision(resumed: unknown): GivenAnswer {
  const decisions = isRecord(resumed) ? resumed["decisions"] : undefined;
  const decision: unknown = Array.isArray(decisions) && decisions.length === 1 ? decisions[0] : undefined;
  if (!isRecord(decision)) return { approved: false, reason: "the graph was resumed without one decision" };
  const { type, message } = decision;
  if (type === "approve") return { approved: true };
  if (type !== "reject") return { approved: false, reason: "only approve and reject are possible" };
  return { approved: false, reason: typeof message === "string" ? message : undefined };
}

function toContent(output: AgentToolOutput): LangChainContent {
  if (output.parts === undefined) return output.text;
  return listParts(output).map((part) => {
    if (part.type === "text") return { ...part };
    const { data, mediaType } = part;
    if (!mediaType.startsWith("image/"))
      return { type: "text", text: `[file: ${mediaType}, in the artifact]` };
    return { type: "image_url", image_url: { url: `data:${mediaType};base64,${data}` } };
  });
}
