import {
  chooseOffer,
  type Definitions,
  type KnownTools,
  type McpServerConfig,
  type ReviewedTools,
  readDefinitionText,
  type ServerTool,
  toDefinitionText,
} from "../../mcp/index.ts";
import type { KeptDefinition, Definitions as KeptDefinitions } from "../../modules/definitions/index.ts";

export interface McpDefinitionsOptions {
  /** Opens the store. */
  readonly open: () => Promise<KeptDefinitions>;
  readonly scope: string;
  /** The name under which a server's definitions are kept: two files may each have a server of one name. */
  readonly nameSource: (server: McpServerConfig) => string;
}

/** What the owner has looked at of each server's tools, kept in the store. */
export class McpDefinitions implements Definitions {
  readonly #options: McpDefinitionsOptions;

  constructor(options: McpDefinitionsOptions) {
    this.#options = options;
  }

  async lastKnown(server: McpServerConfig): Promise<KnownTools | undefined> {
    const { scope, nameSource } = this.#options;
    const kept = await (await this.#options.open()).list(scope, nameSource(server));
    const there = kept.filter(({ goneAt }) => goneAt === undefined);
    if (there.length === 0) return undefined;
    const tools = there.flatMap((one) => (one.offered === undefined ? toTool(one) : []));
    return { tools, listedAt: Math.max(...there.map(({ seenAt }) => seenAt)) };
  }

  async review(server: McpServerConfig, tools: readonly ServerTool[]): Promise<ReviewedTools> {
    if (server.pin === false) return { accepted: tools, quarantined: [] };
    const { scope, nameSource } = this.#options;
    const source = nameSource(server);
    const offered = tools.map((tool) => ({ name: tool.name, text: toDefinitionText(tool) }));
    const kept = await (await this.#options.open()).see(scope, source, offered);
    const waiting = new Map(kept.filter((one) => one.offered !== undefined).map((one) => [one.name, one]));
    // A tool on the server's list `deny` waits for no review.
    const isOffered = chooseOffer(server);
    return {
      accepted: tools.filter(({ name }) => !waiting.has(name)),
      quarantined: tools.flatMap(({ name }) => {
        const one = waiting.get(name);
        return one === undefined || !isOffered(name) ? [] : [{ name, reason: whyWaiting(one, server.name) }];
      }),
    };
  }
}

function toTool({ accepted }: KeptDefinition): ServerTool[] {
  return accepted === undefined ? [] : [readDefinitionText(accepted.text)];
}

function whyWaiting({ accepted }: KeptDefinition, server: string): string {
  const what =
    accepted === undefined ? "it is new since you let the server in" : "its definition has changed";
  return `${what}, and nobody has looked at it; see it with \`haft mcp review ${server}\``;
}
