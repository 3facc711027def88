import { healthWithout, type ServerHealth } from "../../mcp/index.ts";
import { definitionCounter } from "../costs/index.ts";
import type { App } from "../create-app.ts";

/** What a server is, and offers. */
export interface ServerOffer {
  readonly health: ServerHealth;
  readonly tools: readonly OfferedTool[];
  /** That all definitions together take of a model's context. */
  readonly tokens: number;
  /** What they were counted with. */
  readonly tokenizer: string;
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly tokens: number;
}

/** Describes what a server of a settled installation offers; it is connected to for that. */
export async function readServerOffer(app: App, name: string): Promise<ServerOffer> {
  const health = app.sources.mcp?.health().find(({ server }) => server === name) ?? unusable(app, name);
  const own = app.registry.list().filter(({ origin }) => origin === `mcp:${name}`);
  const counter = await definitionCounter("openai");
  const tools = own.map(({ name: tool, description }) => {
    const definition = app.registry.toLLMTool(tool, "openai");
    return { name: tool, description, tokens: definition === undefined ? 0 : counter.of(definition) };
  });
  return {
    health,
    tools,
    tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
    tokenizer: counter.tokenizer,
  };
}

function unusable(app: App, server: string): ServerHealth {
  const problem = app.sources.problems().find(({ where }) => where === server);
  return {
    ...healthWithout(server, "failed"),
    reason: problem?.message ?? "it is not connected to",
    code: problem?.code ?? "MCP_CONFIG",
  };
}
