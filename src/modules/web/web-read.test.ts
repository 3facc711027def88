import { expect, test } from "vitest";
import { listenOnLoopback } from "../../../test/support/loopback.ts";
import { openNetworkCalls } from "../../../test/support/network-call.ts";
import { makePdf } from "../../../test/support/pdf.ts";

interface Served {
  readonly type?: string;
  readonly body: string | Uint8Array;
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

/** A site of fixed pages, and `read`, which calls web_read for one of them and gives the text or the code and message. */
async function openSite(pages: Record<string, Served | (() => Served)>) {
  const requests: string[] = [];
  const { url, host } = await listenOnLoopback((request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    const page = pages[path];
    const { type, body, status, headers } = (typeof page === "function" ? page() : page) ?? {
      status: 404,
      body: "gone",
    };
    response
      .writeHead(status ?? 200, { ...(type === undefined ? {} : { "content-type": type }), ...headers })
      .end(body);
  });
  const call = openNetworkCalls();
  const read = async (path: string, params: object = {}, scope = "local"): Promise<unknown> => {
    const result = await call("web_read", { url: url + path, ...params }, { allowedHosts: [host], scope });
    return result.success ? result.result : [result.code, result.error];
  };
  return { url, host, read, requests };
}

const sentence = "A sentence of the page that goes on for a while. ";

test("web_read gives a page as Markdown with its title and its address", async () => {
  const { url, read } = await openSite({
    "/": {
      type: "text/html; charset=utf-8",
      body: `<title>Über</title><nav>Menu</nav><article><h1>Über</h1><p>${sentence.repeat(20)}<a href="more">more</a></p></article>`,
    },
  });
  expect(await read("/")).toBe(`# Über\n\nSource: ${url}/\n\n${sentence.repeat(20)}[more](${url}/more)`);
});

test("web_read cuts at 12,000 characters and reads on where it ended, from the same page", async () => {
  let visits = 0;
  const { url, read, requests } = await openSite({
    "/": () => {
      visits++;
      return {
        type: "text/plain",
        body: Array.from({ length: 3_000 }, (_, line) => `${visits} ${line}`).join("\n"),
      };
    },
  });
  const whole = Array.from({ length: 3_000 }, (_, line) => `1 ${line}`).join("\n");
  const first = await read("/");
  expect(first).toBe(
    `Source: ${url}/\n\n${whole.slice(0, 12_000)}\n\n[Characters 0 to 12000 of ${whole.length}; to read on, call web_read with offset 12000]`,
  );
  expect(await read("/", { offset: 12_000 })).toBe(whole.slice(12_000));
  expect(requests).toEqual(["/"]);
  expect(await read("/", { offset: 99_999 })).toEqual([
    "PAGE_OFFSET",
    `Cannot read "${url}/" from character 99999: it has ${whole.length}; use a smaller offset`,
  ]);
  // Another scope gets the page for itself, and so does a call that begins anew.
  expect(await read("/", { offset: 12_000 }, "other")).toMatch(/\n2 2999$/);
  expect(await read("/")).toContain("\n\n3 0\n3 1\n");
  expect(requests).toHaveLength(3);
});

test("web_read cuts no character in two", async () => {
  const { read } = await openSite({ "/": { type: "text/plain", body: `a${"😀".repeat(7_000)}` } });
  const first = (await read("/")) as string;
  expect(first).toContain("to read on, call web_read with offset 11999]");
  expect(first).not.toContain("\ufffd");
  expect((await read("/", { offset: 11_999 })) as string).toMatch(/^😀+$/u);
});

test("web_read passes text, JSON, Markdown and feeds through as they are", async () => {
  const bodies: Record<string, Served> = {
    "/text": { type: "text/plain", body: "a  b\n<p>" },
    "/json": { type: "application/json", body: '{"a": [1,\n2]}' },
    "/md": { type: "text/markdown", body: "# Head\n\n- x" },
    "/feed": { type: "application/rss+xml", body: "<rss><item/></rss>" },
    "/untold": { body: "plain words" },
  };
  const { url, read } = await openSite(bodies);
  for (const [path, { body }] of Object.entries(bodies))
    expect(await read(path)).toBe(`Source: ${url}${path}\n\n${String(body)}`);
});

test("web_read reads the text of a PDF page by page", async () => {
  const { url, read } = await openSite({
    "/a.pdf": { type: "application/pdf", body: makePdf(["Hello from page one", "And page two"]) },
    "/b": { type: "application/octet-stream", body: makePdf(["Found by its first bytes"]) },
    "/broken.pdf": { type: "application/pdf", body: "%PDF-1.4 nonsense" },
  });
  expect(await read("/a.pdf")).toBe(
    `Source: ${url}/a.pdf\n\n[Page 1 of 2]\n\nHello from page one\n\n[Page 2 of 2]\n\nAnd page two`,
  );
  expect(await read("/b")).toContain("Found by its first bytes");
  expect(await read("/broken.pdf")).toEqual([
    "PAGE_UNREADABLE",
    expect.stringContaining("its PDF could not be read"),
  ]);
});

test("web_read refuses what is not text, and says what it is", async () => {
  const { url, read } = await openSite({ "/i": { type: "image/png", body: Buffer.alloc(1_500, 0x89) } });
  expect(await read("/i")).toEqual([
    "PAGE_NOT_TEXT",
    `Cannot read "${url}/i" as text: it is image/png, 1.5 kB; web_read takes HTML, text, JSON, Markdown and PDF`,
  ]);
});

test("web_read says what the server answered and what to do", async () => {
  const { url, read } = await openSite({
    "/busy": { status: 429, body: "", headers: { "retry-after": "30" } },
    "/broken": { status: 503, body: "<h1>oops</h1>" },
    "/login": { status: 401, body: "" },
  });
  expect(await read("/none")).toEqual([
    "PAGE_STATUS",
    `Cannot read "${url}/none": the server answered 404 Not Found; check the address`,
  ]);
  expect(await read("/busy")).toEqual(["PAGE_STATUS", expect.stringContaining("try again after 30 seconds")]);
  expect(await read("/broken")).toEqual([
    "PAGE_STATUS",
    expect.stringContaining("503 Service Unavailable; try again later"),
  ]);
  expect(await read("/login")).toEqual([
    "PAGE_STATUS",
    expect.stringContaining("use http_get with an Authorization header"),
  ]);
});

test("web_read follows a redirect on its own site and reports one that leads away", async () => {
  const { url, read } = await openSite({
    "/old": { status: 301, body: "", headers: { location: "/new" } },
    "/new": { type: "text/plain", body: "new place" },
    "/away": { status: 302, body: "", headers: { location: "https://www.example.com/" } },
    "/inward": { status: 302, body: "", headers: { location: "http://169.254.169.254/latest/" } },
  });
  expect(await read("/old")).toBe(`Source: ${url}/new\n\nnew place`);
  expect(await read("/away")).toBe(
    `"${url}/away" redirects to "https://www.example.com/", another site, and was not followed. To read it, call web_read with that address.`,
  );
  expect(await read("/inward")).toContain("was not followed");
});

test("web_read ends on pages made to break it, with their text", async () => {
  const { read } = await openSite({
    "/deep": { type: "text/html", body: `${"<div>".repeat(20_000)}deep text${"</div>".repeat(20_000)}` },
    "/wide": { type: "text/html", body: "<p>A paragraph among very many others.</p>".repeat(65_000) },
    "/empty": { type: "text/html", body: "" },
    "/script": { type: "text/html", body: "<script>document.write('x')</script>" },
  });
  expect(await read("/deep")).toMatch(
    /deep text\n\n\[Shown as plain text: the page is too intricate to convert\]$/,
  );
  expect(await read("/wide")).toContain("A paragraph among very many others.\n\nA paragraph");
  expect(await read("/empty")).toContain("(The page has no text.)");
  expect(await read("/script")).toContain("(The page has no text.)");
});

test("web_read ends at once when its call is cancelled", async () => {
  const arrived = Promise.withResolvers<void>();
  const { url, host } = await listenOnLoopback((_request, response) => {
    response.setHeader("content-type", "text/html").write("<p>never ends");
    arrived.resolve();
  });
  const controller = new AbortController();
  const reading = openNetworkCalls()(
    "web_read",
    { url },
    { allowedHosts: [host], signal: controller.signal },
  );
  await arrived.promise;
  controller.abort();
  expect(await reading).toMatchObject({ code: "TOOL_CANCELLED" });
});

test("web_read asks Jina Reader where that is configured, for the page and for the reader", async () => {
  const seen: unknown[] = [];
  const { url, host } = await listenOnLoopback((request, response) => {
    seen.push([request.url, request.headers.authorization]);
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end(
      "Title: A page\n\nURL Source: https://example.com/\n\nMarkdown Content:\n# A page\n\nText of it.\n",
    );
  });
  const call = openNetworkCalls({ webRead: { provider: "jina", baseUrl: url, apiKey: "jina-key" } });
  const page = "https://example.com/?q=a%20b";
  const allowedHosts = [host, "example.com"];
  expect(await call("web_read", { url: page }, { allowedHosts })).toMatchObject({
    success: true,
    result: `# A page\n\nSource: ${page}\n\nText of it.`,
  });
  expect(seen).toEqual([[`/${page}`, "Bearer jina-key"]]);
  expect(await call("web_read", { url: page }, { allowedHosts: [host] })).toMatchObject({
    code: "TOOL_PERMISSION",
  });
  expect(await call("web_read", { url: "http://10.0.0.1/" }, { allowedHosts })).toMatchObject({
    code: "CONNECT_BLOCKED",
  });
});
