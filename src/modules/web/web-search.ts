import { z } from "zod";
import { cutHead, formatBytes, oneLine } from "../../base/index.ts";
import type { HttpResponse } from "../../host/index.ts";
import type { Tool, ToolContext } from "../../kernel/index.ts";
import { readBodyText } from "./body-text.ts";
import { NetworkError } from "./errors.ts";
import type { NetworkServices } from "./network-options.ts";
import { defineNetworkTool } from "./network-tool.ts";
import { htmlToText } from "./page/plain-text.ts";
import { sendPageJob } from "./page/send-page-job.ts";
import type { FoundPage } from "./search/duckduckgo-page.ts";
import { openProvider } from "./search/open-provider.ts";
import type { SearchProvider } from "./search/search-provider.ts";

export interface SearchAnswer {
  readonly results: readonly FoundPage[];
  readonly answer?: string;
}

const maxResults = 20;
const maxAnswerBytes = 2_000_000;
const maxSnippetChars = 1_000;
const maxSummaryChars = 4_000;

/** Null where the configured provider has no key. */
export function webSearchTool(services: NetworkServices): Tool | null {
  const options = services.options?.webSearch;
  const provider = openProvider(options);
  if (provider === undefined) return null;
  const usual = Math.min(Math.max(options?.maxResults ?? 5, 1), maxResults);
  const count = z.int().min(1).max(maxResults).optional();
  return defineNetworkTool(services, {
    name: "web_search",
    title: "Search the web",
    description: `Search the web with ${provider.title}. Returns {results: [{title, url, snippet}]}, and an answer where the provider gives one. Read a result with web_read.`,
    parameters: z.strictObject({
      query: z.string().trim().min(1).max(1_000).describe("What to look for"),
      limit: count.describe(`How many results, ${usual} if absent`),
      max_results: count.describe("The same as limit"),
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true },
    addresses: () => [{ url: provider.baseUrl, isConfigured: true }],
    run: async (params, send, context): Promise<SearchAnswer> => {
      const limit = params.limit ?? params.max_results ?? usual;
      const request = provider.request(params.query, limit);
      const response = await send({ ...request, isConfigured: true, maxBytes: maxAnswerBytes });
      const body = checkAnswer(provider, response, options?.apiKey);
      const { results, answer } = await provider.parse(body, (html) => readResultPage(html, context));
      return {
        ...(answer === undefined ? {} : { answer: cutHead(answer, maxSummaryChars) }),
        results: results.filter(isWebPage).slice(0, limit).map(tidy),
      };
    },
  });
}

/** @throws {NetworkError} SEARCH_REFUSED, SEARCH_ANSWER */
function checkAnswer({ title }: SearchProvider, response: HttpResponse, apiKey: string | undefined): string {
  const { status, statusText, truncated } = response;
  const body = readBodyText(response) ?? "";
  if (status >= 200 && status < 300 && !truncated) return body;
  if (truncated)
    throw new NetworkError(
      "SEARCH_ANSWER",
      `Cannot search with ${title}: its answer is over ${formatBytes(maxAnswerBytes)}; ask for fewer results`,
    );
  const said = cutHead(oneLine(htmlToText(body).text), 300);
  const withoutKey = apiKey === undefined || apiKey === "" ? said : said.replaceAll(apiKey, "[key]");
  throw new NetworkError(
    "SEARCH_REFUSED",
    `Cannot search with ${title}: it answered ${`${status} ${statusText}`.trim()}; ${formatRemedy(status)}${withoutKey === "" ? "" : `. It said: ${withoutKey}`}`,
    { details: { status } },
  );
}

function formatRemedy(status: number): string {
  if (status === 401 || status === 403) return "check the API key in the configuration";
  if (status === 429 || status === 432) return "its quota is used up; try again later";
  return status >= 500 ? "try again later" : "check the base URL in the configuration";
}

async function readResultPage(html: string, { signal }: ToolContext): Promise<readonly FoundPage[]> {
  const outcome = await sendPageJob({ kind: "duckduckgo", html }, { signal, timeoutMs: 8_000 });
  if (outcome.status === "done") return outcome.result;
  throw new NetworkError("SEARCH_ANSWER", `Cannot read the search results: ${outcome.reason}; try again`);
}

function isWebPage({ url }: FoundPage): boolean {
  return /^https?:\/\//i.test(url);
}

function tidy({ title, url, snippet }: FoundPage): FoundPage {
  return { title: cutHead(oneLine(title), 300), url, snippet: cutHead(oneLine(snippet), maxSnippetChars) };
}
