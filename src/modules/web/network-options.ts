import type { Connector } from "../../host/index.ts";

export const searchProviderNames = ["duckduckgo", "tavily", "google", "bing"] as const;
export type SearchProviderName = (typeof searchProviderNames)[number];

export interface WebSearchOptions {
  /** @default "duckduckgo", which needs no key */
  readonly provider?: SearchProviderName;
  readonly apiKey?: string;
  /** The `cx` of the engine of Google's Custom Search. */
  readonly engineId?: string;
  /** The address of the provider, if not its public one; it may be loopback or private. */
  readonly baseUrl?: string;
  /** Results where a call does not say, 1 to 20. @default 5 */
  readonly maxResults?: number;
}

export interface WebReadOptions {
  /** `jina` sends the address of every page to Jina Reader. @default "local" */
  readonly provider?: "local" | "jina";
  /** @default "https://r.jina.ai" */
  readonly baseUrl?: string;
  /** Jina Reader answers without one too, less often. */
  readonly apiKey?: string;
}

/** What the configuration says of the network. */
export interface NetworkOptions {
  readonly webSearch?: WebSearchOptions | undefined;
  readonly webRead?: WebReadOptions | undefined;
  /** Bytes of one answer, decompressed. @default the connector's (10,000,000) */
  readonly maxResponseBytes?: number;
}

/** What network tools are made of. */
export interface NetworkServices {
  readonly connector: Connector;
  readonly options?: NetworkOptions;
}
