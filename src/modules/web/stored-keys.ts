import { readSecretName, type Tool, type ToolContext } from "../../kernel/index.ts";
import type { NetworkOptions } from "./network-options.ts";

const toolsOfSetting = { webSearch: "web_search", webRead: "web_read" } as const;

/**
 * The network tools, with keys that are stored secrets fetched when the tool is called. What a tool says of itself
 * does not depend on the key.
 */
export function withStoredKeys(
  options: NetworkOptions,
  make: (options: NetworkOptions) => readonly Tool[],
): readonly Tool[] {
  return make(options).map((shown) => {
    for (const setting of ["webSearch", "webRead"] as const) {
      const name = readSecretName(options[setting]?.apiKey);
      if (shown.name === toolsOfSetting[setting] && name !== undefined) {
        return withSecret(shown, name, (apiKey) => {
          const filled = { ...options, [setting]: { ...options[setting], apiKey } };
          return make(filled).find((tool) => tool.name === shown.name);
        });
      }
    }
    return shown;
  });
}

function withSecret(shown: Tool, name: string, make: (value: string) => Tool | undefined): Tool {
  let made: { readonly value: string; readonly tool: Tool | undefined } | undefined;
  return {
    ...shown,
    secrets: [name],
    execute: async (params: never, context: ToolContext) => {
      const value = await context.secret(name);
      if (made?.value !== value) made = { value, tool: make(value) };
      return made.tool?.execute(params, context);
    },
  };
}
