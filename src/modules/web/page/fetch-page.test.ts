import { expect, test } from "vitest";
import { connectContext, openTestConnector } from "../../../../test/support/connect.ts";
import { listenOnLoopback } from "../../../../test/support/loopback.ts";
import { noTools, type ToolContext } from "../../../kernel/index.ts";
import { fetchPage, maxPageChars } from "./fetch-page.ts";

/** A context whose deadline is close: a conversion gets the least time there is, and nothing else is hurried. */
function contextWith(host: string): ToolContext {
  return {
    ...connectContext({ allowedHosts: [host] }),
    callId: "c",
    taskId: undefined,
    agentId: undefined,
    userId: undefined,
    scope: "local",
    origin: undefined,
    allowedPaths: [],
    trust: "trusted",
    deadline: Date.now(),
    progress: () => undefined,
    output: () => undefined,
    wait: async (act) => act(new AbortController().signal),
    awaitPerson: async (ask) => ask(new AbortController().signal),
    secret: () => Promise.reject(new Error("there are no secrets here")),
    toolset: noTools,
    interaction: undefined,
    call: () => Promise.reject(new Error("there are no other tools here")),
  };
}

test("fetchPage() stops a conversion that takes too long, and shows the text plainly", async () => {
  const { url, host } = await listenOnLoopback((_request, response) => {
    const slow = `<pre>${"\n".repeat(90_000)}text</pre>${"<p>more</p>".repeat(7_000)}`;
    response.setHeader("content-type", "text/html").end(`<title>Slow</title>${slow}`);
  });
  const context = contextWith(host);
  const connector = openTestConnector();
  const page = await fetchPage(url, (request) => connector.request(request, context), context);
  expect(page).toEqual({
    url: `${url}/`,
    title: "Slow",
    text: `text${"\n\nmore".repeat(7_000)}`,
    notes: ["Shown as plain text: the page could not be converted (it took longer than 100 ms)"],
  });
});

test("fetchPage() keeps at most 2,000,000 characters, and says so", async () => {
  const { url, host } = await listenOnLoopback((_request, response) => {
    response.setHeader("content-type", "text/plain").end("a".repeat(maxPageChars + 1));
  });
  const context = contextWith(host);
  const connector = openTestConnector();
  const page = await fetchPage(url, (request) => connector.request(request, context), context);
  expect(page).toEqual({
    url: `${url}/`,
    title: "",
    text: "a".repeat(maxPageChars),
    notes: ["Only the first 2000000 characters are kept"],
  });
});

test("fetchPage() says that a page was cut, and refuses one that declares to be too large", async () => {
  const { url, host } = await listenOnLoopback((request, response) => {
    response.setHeader("content-type", request.url === "/pdf" ? "application/pdf" : "text/plain");
    if (request.url === "/declared") response.setHeader("content-length", "5000").end("b".repeat(5_000));
    else {
      response.write("b".repeat(2_500));
      response.end("b".repeat(2_500));
    }
  });
  const context = contextWith(host);
  const connector = openTestConnector({ maxResponseBytes: 1_000 });
  const fetch = (path: string) =>
    fetchPage(url + path, (request) => connector.request(request, context), context);
  expect(await fetch("/")).toMatchObject({ text: "b".repeat(1_000), notes: ["The page was cut at 1.0 kB"] });
  await expect(fetch("/declared")).rejects.toMatchObject({ code: "RESPONSE_TOO_LARGE" });
  await expect(fetch("/pdf")).rejects.toMatchObject({
    code: "PAGE_UNREADABLE",
    message: `Cannot read "${url}/pdf": the PDF is larger than the 1.0 kB that are read; get it with a command`,
  });
});
