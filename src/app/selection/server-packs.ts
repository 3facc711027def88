import { showInvisible } from "../../base/index.ts";
import { firstSentence, getPackName } from "../../kernel/index.ts";
import type { ServerHealth } from "../../mcp/index.ts";

/** What is known of the MCP servers as packs. Their own words are marked as such, and short: nobody has looked at them. */
export function serverPacks(
  servers: readonly Pick<ServerHealth, "server" | "about">[],
): readonly { readonly name: string; readonly description: string }[] {
  return servers.flatMap(({ server, about }) => {
    if (about === undefined) return [];
    const words = showInvisible(firstSentence(about.replace(heading, ""), mostChars)).replaceAll('"', "'");
    return words === ""
      ? []
      : [
          {
            name: getPackName({ origin: `mcp:${server}`, category: "mcp" }),
            description: `MCP server, which says of itself: "${words}"`,
          },
        ];
  });
}

const mostChars = 160;
const heading = /^#.*$/gm;
