import { z } from "zod";
import { joinUrl, type ProviderSettings, parseAnswer, type SearchProvider } from "./search-provider.ts";

const answerSchema = z.object({
  webPages: z
    .object({
      value: z.array(
        z.object({ name: z.string().nullish(), url: z.string(), snippet: z.string().nullish() }),
      ),
    })
    .optional(),
});

export function bing({
  apiKey,
  baseUrl = "https://api.bing.microsoft.com",
}: ProviderSettings): SearchProvider {
  return {
    title: "Bing",
    baseUrl,
    request: (query, limit) => ({
      url: joinUrl(baseUrl, "/v7.0/search", { q: query, count: String(limit), responseFilter: "Webpages" }),
      headers: { accept: "application/json", "ocp-apim-subscription-key": apiKey },
    }),
    parse(body) {
      const { webPages } = parseAnswer("Bing", answerSchema, body);
      const found = webPages?.value ?? [];
      return {
        results: found.map(({ name, url, snippet }) => ({ title: name ?? "", url, snippet: snippet ?? "" })),
      };
    },
  };
}
