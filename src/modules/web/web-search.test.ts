import { expect, test } from "vitest";
import { listenOnLoopback } from "../../../test/support/loopback.ts";
import { openNetworkCalls } from "../../../test/support/network-call.ts";
import { createConnector } from "../../host/index.ts";
import { type SearchProviderName, searchProviderNames } from "./network-options.ts";
import { networkTools } from "./network-tools.ts";
import { webSearchProblem } from "./search/open-provider.ts";

const query = "héllo & wörld";
const expected = [
  { title: "First result", url: "https://example.com/1", snippet: "Snippet one, with & and <b>." },
  { title: "Second", url: "https://example.com/2?a=b&c=d", snippet: "" },
];

const duckDuckGoPage = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"><html><head><title>x at DuckDuckGo</title></head><body>
<div class="serp__results"><div id="links" class="results">
<div class="result results_links results_links_deep result--ad "><div class="links_main"><h2 class="result__title">
<a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad_domain=ads.example">Advertisement</a></h2></div></div>
<div class="result results_links results_links_deep web-result "><div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2F1&amp;rut=abc">First <b>result</b></a></h2>
<a class="result__snippet" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2F1">Snippet <b>one</b>, with &amp; and &lt;b&gt;.</a></div></div>
<div class="result results_links results_links_deep web-result "><div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="https://example.com/2?a=b&amp;c=d">Second</a></h2></div></div>
<div class="result result--more"><a class="result__a" href="javascript:alert(1)">Not a page</a></div>
</div></div></body></html>`;

/** What each provider sends, in the form it sends it, and what it has to be asked. */
const recorded: Record<SearchProviderName, { asked: unknown; type: string; body: string; answer?: string }> =
  {
    tavily: {
      asked: {
        method: "POST",
        path: "/search",
        key: "Bearer secret-key",
        query: { query, max_results: 2, include_answer: true },
      },
      type: "application/json",
      body: JSON.stringify({
        query,
        answer: "In short: yes.",
        images: [],
        results: [
          {
            title: "First result",
            url: "https://example.com/1",
            content: "Snippet one,\n with & and <b>.",
            score: 0.9,
          },
          { title: "Second", url: "https://example.com/2?a=b&c=d", content: "", score: 0.8 },
          { title: "Third", url: "https://example.com/3", content: "", score: 0.7 },
        ],
        response_time: 1.1,
      }),
      answer: "In short: yes.",
    },
    google: {
      asked: {
        method: "GET",
        path: "/customsearch/v1",
        key: "secret-key",
        query: { q: query, cx: "engine", num: "2" },
      },
      type: "application/json; charset=UTF-8",
      body: JSON.stringify({
        kind: "customsearch#search",
        items: [
          { title: "First result", link: "https://example.com/1", snippet: "Snippet one, with & and <b>." },
          { title: "Second", link: "https://example.com/2?a=b&c=d" },
        ],
      }),
    },
    bing: {
      asked: {
        method: "GET",
        path: "/v7.0/search",
        key: "secret-key",
        query: { q: query, count: "2", responseFilter: "Webpages" },
      },
      type: "application/json; charset=utf-8",
      body: JSON.stringify({
        _type: "SearchResponse",
        webPages: {
          value: [
            { name: "First result", url: "https://example.com/1", snippet: "Snippet one, with & and <b>." },
            { name: "Second", url: "https://example.com/2?a=b&c=d", snippet: "" },
            { name: "Bad", url: "ftp://example.com/", snippet: "" },
          ],
        },
      }),
    },
    duckduckgo: {
      asked: { method: "GET", path: "/html/", query: { q: query } },
      type: "text/html; charset=UTF-8",
      body: duckDuckGoPage,
    },
  };

test.for([...searchProviderNames])(
  "web_search asks %s in its form and gives results in one form",
  async (provider) => {
    const { asked, type, body, answer } = recorded[provider];
    const seen: unknown[] = [];
    const { url, host } = await listenOnLoopback(async (request, response) => {
      const address = new URL(request.url ?? "", "http://x");
      const sent = Buffer.concat(await request.toArray()).toString();
      const { authorization, "x-goog-api-key": google, "ocp-apim-subscription-key": bing } = request.headers;
      const key = authorization ?? google ?? bing;
      seen.push({
        method: request.method,
        path: address.pathname,
        ...(key === undefined ? {} : { key }),
        query: sent === "" ? Object.fromEntries(address.searchParams) : JSON.parse(sent),
      });
      response.setHeader("content-type", type).end(body);
    });
    const call = openNetworkCalls({
      webSearch: { provider, apiKey: "secret-key", engineId: "engine", baseUrl: `${url}/` },
    });
    const result = await call("web_search", { query, limit: 2 }, { allowedHosts: [host] });
    expect(result).toMatchObject({ success: true });
    expect(result.success && result.result).toEqual({
      ...(answer === undefined ? {} : { answer }),
      results: expected,
    });
    expect(seen).toEqual([asked]);
  },
);

test("web_search takes limit and max_results alike, and the configured number without them", async () => {
  const results = Array.from({ length: 30 }, (_, index) => ({
    title: `${index}`,
    url: `https://example.com/${index}`,
  }));
  const { url, host } = await listenOnLoopback((_request, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ results }));
  });
  const call = openNetworkCalls({
    webSearch: { provider: "tavily", apiKey: "k", baseUrl: url, maxResults: 7 },
  });
  const count = async (params: object) => {
    const result = await call("web_search", { query, ...params }, { allowedHosts: [host] });
    return result.success ? (result.result as { results: unknown[] }).results.length : result.code;
  };
  expect(await Promise.all([{}, { limit: 3 }, { max_results: 4 }, { limit: 20 }].map(count))).toEqual([
    7, 3, 4, 20,
  ]);
  expect(await Promise.all([{ limit: 0 }, { limit: 21 }, { query: " " }].map(count))).toEqual(
    Array.from({ length: 3 }, () => "TOOL_VALIDATION"),
  );
});

test("web_search needs a decision for its provider, and reaches a private one only because it is configured", async () => {
  const { url } = await listenOnLoopback((_request, response) => {
    response.setHeader("content-type", "application/json").end('{"results":[]}');
  });
  const call = openNetworkCalls({ webSearch: { provider: "tavily", apiKey: "k", baseUrl: url } });
  expect(await call("web_search", { query })).toMatchObject({
    code: "TOOL_PERMISSION",
    error: expect.stringContaining(url),
  });
  expect(await call("web_search", { query }, { allowedHosts: [url.slice(7)] })).toMatchObject({
    success: true,
  });
  expect(await call("http_get", { url })).toMatchObject({ code: "CONNECT_BLOCKED" });
});

test("web_search says what to do about a refusal, and never shows the key", async () => {
  let status = 401;
  const { url, host } = await listenOnLoopback((_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end('{"detail":"bad key secret-key"}');
  });
  const call = openNetworkCalls({ webSearch: { provider: "tavily", apiKey: "secret-key", baseUrl: url } });
  const refusal = async () => {
    const result = await call("web_search", { query }, { allowedHosts: [host] });
    return result.success ? result : [result.code, result.error];
  };
  expect(await refusal()).toEqual([
    "SEARCH_REFUSED",
    'Cannot search with Tavily: it answered 401 Unauthorized; check the API key in the configuration. It said: {"detail":"bad key [key]"}',
  ]);
  status = 429;
  expect(await refusal()).toEqual([
    "SEARCH_REFUSED",
    expect.stringContaining("its quota is used up; try again later"),
  ]);
  status = 200;
  expect(await refusal()).toEqual([
    "SEARCH_ANSWER",
    "Cannot search with Tavily: its answer is not in the form it promises; check the base URL in the configuration",
  ]);
  status = 302;
  expect(await refusal()).toEqual(["SEARCH_REFUSED", expect.stringContaining("302 Found")]);
});

test("web_search tells a page of DuckDuckGo without results from one that turns programs away", async () => {
  let page = "<html><body><div class='no-results'>No results.</div></body></html>";
  const { url, host } = await listenOnLoopback((_request, response) => {
    response.setHeader("content-type", "text/html").end(page);
  });
  const call = openNetworkCalls({ webSearch: { baseUrl: url } });
  const context = { allowedHosts: [host] };
  expect(await call("web_search", { query }, context)).toMatchObject({
    success: true,
    result: { results: [] },
  });
  page =
    '<html><body><form id="challenge-form"><div class="anomaly-modal__title">Unfortunately, bots …</div></form></body></html>';
  expect(await call("web_search", { query }, context)).toMatchObject({ code: "SEARCH_REFUSED" });
});

test("networkTools() leaves web_search out where its provider has no key, and webSearchProblem() says why", () => {
  const connector = createConnector();
  const listNames = (webSearch: object) =>
    networkTools({ connector, options: { webSearch } }).map(({ name }) => name);
  const others = ["http_get", "http_post", "http_request", "web_read"];
  expect(networkTools({ connector }).map(({ name }) => name)).toEqual([...others, "web_search"]);
  for (const provider of ["tavily", "google", "bing"] as const) {
    expect(listNames({ provider })).toEqual(others);
    expect(listNames({ provider, apiKey: "" })).toEqual(others);
    expect(webSearchProblem({ provider })).toContain("it has no API key; set webSearch.apiKey");
  }
  expect(listNames({ provider: "google", apiKey: "k" })).toEqual(others);
  expect(webSearchProblem({ provider: "google", apiKey: "k" })).toContain("set webSearch.engineId");
  expect(webSearchProblem({ provider: "google", apiKey: "k", engineId: "e" })).toBeUndefined();
  expect(webSearchProblem()).toBeUndefined();
});
