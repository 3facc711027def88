import { z } from "zod";
import { joinUrl, type ProviderSettings, parseAnswer, type SearchProvider } from "./search-provider.ts";

const answerSchema = z.object({
  items: z
    .array(z.object({ title: z.string().nullish(), link: z.string(), snippet: z.string().nullish() }))
    .optional(),
});

// More have to be asked for in a second request.
const maxOnOnePage = 10;

/** Google's Custom Search. The key goes in a header: addresses end up in logs. */
export function google(settings: ProviderSettings & { readonly engineId: string }): SearchProvider {
  const { apiKey, engineId, baseUrl = "https://customsearch.googleapis.com" } = settings;
  return {
    title: "Google",
    baseUrl,
    request: (query, limit) => ({
      url: joinUrl(baseUrl, "/customsearch/v1", {
        q: query,
        cx: engineId,
        num: String(Math.min(limit, maxOnOnePage)),
      }),
      headers: { accept: "application/json", "x-goog-api-key": apiKey },
    }),
    parse(body) {
      const { items = [] } = parseAnswer("Google", answerSchema, body);
      return {
        results: items.map(({ title, link, snippet }) => ({
          title: title ?? "",
          url: link,
          snippet: snippet ?? "",
        })),
      };
    },
  };
}
