import { z } from "zod";
import { joinUrl, type ProviderSettings, parseAnswer, type SearchProvider } from "./search-provider.ts";

const answerSchema = z.object({
  answer: z.string().nullish(),
  results: z.array(z.object({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() })),
});

export function tavily({ apiKey, baseUrl = "https://api.tavily.com" }: ProviderSettings): SearchProvider {
  return {
    title: "Tavily",
    baseUrl,
    request: (query, limit) => ({
      url: joinUrl(baseUrl, "/search"),
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ query, max_results: limit, include_answer: true }),
    }),
    parse(body) {
      const { answer, results } = parseAnswer("Tavily", answerSchema, body);
      return {
        results: results.map(({ title, url, content }) => ({
          title: title ?? "",
          url,
          snippet: content ?? "",
        })),
        ...(answer ? { answer } : {}),
      };
    },
  };
}
