import { NetworkError } from "../errors.ts";
import type { WebSearchOptions } from "../network-options.ts";
import { joinUrl, type SearchProvider } from "./search-provider.ts";

/** DuckDuckGo's page for browsers without scripts: no key, and no promise to answer programs. */
export function duckDuckGo({ baseUrl = "https://html.duckduckgo.com" }: WebSearchOptions): SearchProvider {
  return {
    title: "DuckDuckGo",
    baseUrl,
    request: (query) => ({ url: joinUrl(baseUrl, "/html/", { q: query }), headers: { accept: "text/html" } }),
    async parse(body, readPage) {
      const results = await readPage(body);
      if (results.length === 0 && isChallenge(body)) {
        throw new NetworkError(
          "SEARCH_REFUSED",
          "Cannot search with DuckDuckGo: it asks to prove that no program is asking; wait some minutes, or configure another provider",
        );
      }
      return { results };
    },
  };
}

function isChallenge(html: string): boolean {
  return /anomaly-modal|anomaly\.js|challenge-form/.test(html);
}
