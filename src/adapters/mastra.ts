import type { JsonSchema } from "../kernel/index.ts";
import { type AdapterOptions, AgentTools, type ToolHost } from "./agent-tools.ts";
import { type AgentToolOutput, listParts, toOutput } from "./tool-output.ts";

/** What the adapter needs of `@mastra/core/tools`. */
export interface MastraParts<Tool> {
  readonly createTool: (options: MastraToolOptions) => Tool;
}

interface MastraToolOptions {
  id: string;
  description: string;
  inputSchema: PassedSchema;
  requireApproval: (input: unknown) => Promise<boolean>;
  execute: (input: unknown, context: MastraContext) => Promise<AgentToolOutput>;
  toModelOutput: (output: unknown) => unknown;
}

interface MastraContext {
  readonly abortSignal?: AbortSignal;
  readonly agent?: { readonly toolCallId: string };
  /** Takes what a stream shows of a running tool. */
  readonly writer?: { readonly write: (data: unknown) => Promise<void> };
}

/** A Standard Schema that passes everything on: the gate checks the arguments, and puts right what is certain. */
interface PassedSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "haft";
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly types: { readonly input: unknown; readonly output: unknown };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

/**
 * The tools as Mastra's, by their names. A call that haft asks about waits for `agent.approveToolCall` or
 * `agent.declineToolCall`, and the yes is for that call alone.
 *
 * @example
 * ```ts
 * // With Mastra: import { createTool } from "@mastra/core/tools";
 * const createTool = ({ id }: { id: string }) => ({ id });
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({ name: "now", description: "Tell the time.", parameters: z.object({}), execute: () => "noon" }),
 * );
 * const tools = await toMastra({ registry, executor: new ToolExecutor(registry) }, { createTool });
 * // const agent = new Agent({ id: "helper", name: "Helper", instructions, model, tools });
 * tools; // → { now: { id: "now" } }
 * ```
 */
export async function toMastra<Tool>(
  host: ToolHost,
  { createTool }: MastraParts<Tool>,
  options: AdapterOptions = {},
): Promise<Record<string, Tool>> {
  const tools = await AgentTools.open("mastra", host, options);
  return Object.fromEntries(
    tools.offered.map(({ name, description, parameters }) => [
      name,
      createTool({
        id: name,
        description,
        inputSchema: toPassedSchema(parameters),
        requireApproval: async (args) => (await tools.asks({ name, args })) !== undefined,
        execute: async (args, { abortSignal: signal, agent, writer }) => {
          const onUpdate = (update: unknown) => void writer?.write(update).catch(() => {}); // Nobody reads the stream any more.
          return toOutput(await tools.execute({ name, args, id: agent?.toolCallId, signal, onUpdate }));
        },
        toModelOutput: (output) => toModelOutput(output as AgentToolOutput),
      }),
    ]),
  );
}

function toPassedSchema(schema: JsonSchema): PassedSchema {
  const copy = () => structuredClone(schema) as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "haft",
      validate: (value) => ({ value }),
      types: { input: undefined, output: undefined },
      jsonSchema: { input: copy, output: copy },
    },
  };
}

function toModelOutput(output: AgentToolOutput): unknown {
  if (output.parts === undefined) return { type: "text", value: output.text };
  return {
    type: "content",
    value: listParts(output).map((part) => (part.type === "text" ? part : { ...part, type: "media" })),
  };
}
