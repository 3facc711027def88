import { NetworkError } from "../errors.ts";
import type { WebSearchOptions } from "../network-options.ts";
import { bing } from "./bing.ts";
import { duckDuckGo } from "./duckduckgo.ts";
import { google } from "./google.ts";
import type { SearchProvider } from "./search-provider.ts";
import { tavily } from "./tavily.ts";

/**
 * Why web search is not there with this configuration, in words for its owner; undefined where it is. A provider
 * without its key is no fault: the tool is absent.
 */
export function webSearchProblem(options: WebSearchOptions = {}): string | undefined {
  const { provider = "duckduckgo", apiKey, engineId } = options;
  if (provider === "duckduckgo") return undefined;
  if (apiKey === undefined || apiKey === "") {
    return `Web search with "${provider}" is off: it has no API key; set webSearch.apiKey, or use "duckduckgo", which needs none`;
  }
  if (provider === "google" && (engineId === undefined || engineId === "")) {
    return 'Web search with "google" is off: it has no engine; set webSearch.engineId to the "cx" of your Programmable Search Engine';
  }
  return undefined;
}

/** Undefined where {@link webSearchProblem} has something to say. */
export function openProvider(options: WebSearchOptions = {}): SearchProvider | undefined {
  if (webSearchProblem(options) !== undefined) return undefined;
  const { provider = "duckduckgo", apiKey = "", engineId = "" } = options;
  const settings = { ...options, apiKey };
  switch (provider) {
    case "duckduckgo":
      return duckDuckGo(options);
    case "tavily":
      return tavily(settings);
    case "google":
      return google({ ...settings, engineId });
    case "bing":
      return bing(settings);
    default:
      provider satisfies never;
      throw new NetworkError(
        "SEARCH_SETUP",
        `Cannot search with "${String(provider)}": there is no such provider; use duckduckgo, tavily, google or bing`,
      );
  }
}
