import type { Module } from "../module.ts";
import type { NetworkOptions, NetworkServices } from "./network-options.ts";
import { webReadSettings, webSearchSettings } from "./settings.ts";

interface WebPorts extends Pick<NetworkServices, "connector"> {
  readonly settings: { readonly tools?: NetworkOptions };
}

export const webModule: Module<WebPorts> = {
  name: "web",
  toolSettings: { webSearch: webSearchSettings, webRead: webReadSettings },
  families: {
    network: {
      pack: "network",
      collections: { allTaskTools: "all" },
      isConfigured: ({ settings: { tools } }) => (tools?.webSearch ?? tools?.webRead) !== undefined,
      make: async ({ connector, settings: { tools } }) => {
        const { networkTools, withStoredKeys } = await import("./index.ts");
        const options = { webSearch: tools?.webSearch, webRead: tools?.webRead };
        return withStoredKeys(options, (filled) => networkTools({ connector, options: filled }));
      },
    },
  },
};
