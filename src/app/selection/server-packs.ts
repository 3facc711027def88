import { showInvisible } from "../../base/index.ts";
import { firstSentence, knownPacks } from "../../kernel/index.ts";
import type { ServerHealth } from "../../mcp/index.ts";

/** What is known of the MCP servers as packs. Their own words are marked as such, and short: nobody has looked at them. */
export function serverPacks(
  servers: readonly Pick<ServerHealth, "server" | "about">[],
): readonly { readonly name: string; readonly description: string }[] {
  return servers.flatMap(({ server, about }) => {
    if (about === undefined || ours.has(server)) return [];
    const words = showInvisible(firstSentence(about.replace(heading, ""), mostChars)).replaceAll('"', "'");
    return words === ""
      ? []
      : [{ name: server, description: `MCP server, which says of itself: "${words}"` }];
  });
}

const mostChars = 160;
const heading = /^#.*$/gm;
const ours: ReadonlySet<string> = new Set(knownPacks.map(({ name }) => name));
