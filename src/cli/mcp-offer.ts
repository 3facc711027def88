import type { App } from "../app/index.ts";
import { isRecord } from "../base/index.ts";
import { healthWithout, type ServerHealth } from "../mcp/index.ts";
import { countTokens } from "./token-cost.ts";

/** What a server is, and offers. */
export interface ServerOffer {
  readonly health: ServerHealth;
  readonly tools: readonly OfferedTool[];
  /** That all definitions together take of a model's context. */
  readonly tokens: number;
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly tokens: number;
}

/** Of a server of an installation that has settled; it is one that is connected to. */
export async function offerOf(app: App, name: string): Promise<ServerOffer> {
  const health = app.sources.mcp?.health().find(({ server }) => server === name) ?? unusable(app, name);
  const own = app.registry.list().filter(({ origin }) => origin === `mcp:${name}`);
  const definitions = new Map(
    app.registry.toLLMTools("openai").map((definition) => [nameIn(definition), definition]),
  );
  const counts = await countTokens(own.map((tool) => definitions.get(tool.name) ?? {}));
  return {
    health,
    tools: own.map((tool, at) => ({
      name: tool.name,
      description: tool.description,
      tokens: counts[at] as number,
    })),
    tokens: counts.reduce((sum, count) => sum + count, 0),
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

function nameIn(definition: Readonly<Record<string, unknown>>): unknown {
  const { function: inner } = definition as { readonly function?: unknown };
  return isRecord(inner) ? inner["name"] : definition["name"];
}
