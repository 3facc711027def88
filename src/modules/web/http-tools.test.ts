import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { listenOnLoopback } from "../../../test/support/loopback.ts";
import { openNetworkCalls } from "../../../test/support/network-call.ts";

/** What a call gave back, or its code. */
function getOutcome(result: Awaited<ReturnType<ReturnType<typeof openNetworkCalls>>>): unknown {
  return result.success ? result.result : [result.code, result.error];
}

test("http_get gives status, headers and body, whatever the status", async () => {
  const { url, host } = await listenOnLoopback((request, response) => {
    response.writeHead(404, { "content-type": "application/json", date: "d", connection: "close" });
    response.end(JSON.stringify({ accept: request.headers.accept, method: request.method }));
  });
  const result = await openNetworkCalls()(
    "http_get",
    { url: `${url}/x`, headers: { Accept: "application/json" } },
    { allowedHosts: [host] },
  );
  expect(getOutcome(result)).toEqual({
    status: 404,
    headers: {
      "content-type": "application/json",
      date: "d",
      connection: "close",
      "transfer-encoding": "chunked",
    },
    body: '{"accept":"application/json","method":"GET"}',
  });
});

test("http_post and http_request send text as it is and data as JSON", async () => {
  const { url, host } = await listenOnLoopback(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify([request.method, request.headers["content-type"] ?? null, body]));
  });
  const call = openNetworkCalls();
  const send = async (name: string, params: object) => {
    const result = await call(name, { url, ...params }, { allowedHosts: [host] });
    return result.success ? JSON.parse((result.result as { body: string }).body) : result;
  };
  expect(await send("http_post", { body: { a: [1] } })).toEqual(["POST", "application/json", '{"a":[1]}']);
  expect(await send("http_post", { body: [1, "ü"] })).toEqual(["POST", "application/json", '[1,"ü"]']);
  expect(await send("http_post", { body: '{"a":1}' })).toEqual(["POST", "application/json", '{"a":1}']);
  expect(await send("http_post", { body: "a=1&b=2" })).toEqual([
    "POST",
    "text/plain; charset=utf-8",
    "a=1&b=2",
  ]);
  expect(await send("http_post", { body: "null" })).toEqual(["POST", "text/plain; charset=utf-8", "null"]);
  expect(
    await send("http_post", {
      body: "a=1",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    }),
  ).toEqual(["POST", "application/x-www-form-urlencoded", "a=1"]);
  expect(await send("http_post", {})).toEqual(["POST", null, ""]);
  expect(await send("http_request", { method: "DELETE" })).toEqual(["DELETE", null, ""]);
  expect(await send("http_request", { method: "PUT", body: "x" })).toEqual([
    "PUT",
    "text/plain; charset=utf-8",
    "x",
  ]);
});

test("http_request refuses methods, headers and addresses that it does not know", async () => {
  const call = openNetworkCalls();
  const context = { allowedHosts: ["*"] };
  expect(await call("http_request", { method: "TRACE", url: "https://example.com" }, context)).toMatchObject({
    code: "TOOL_VALIDATION",
  });
  expect(await call("http_get", { url: "https://example.com", heders: {} }, context)).toMatchObject({
    code: "TOOL_VALIDATION",
  });
  expect(
    await call("http_get", { url: "https://example.com", headers: { a: "1\r\nb: 2" } }, context),
  ).toMatchObject({ code: "CONNECT_HEADER" });
  expect(await call("http_get", { url: "file:///etc/passwd" }, context)).toMatchObject({
    code: "CONNECT_URL",
  });
});

test("network tools ask before they leave allowedHosts, and with nobody to ask do not", async () => {
  let reached = 0;
  const { url } = await listenOnLoopback((_request, response) => {
    reached++;
    response.end();
  });
  const call = openNetworkCalls();
  for (const name of ["http_get", "http_post", "web_read"]) {
    expect(await call(name, { url: "https://example.com/" })).toMatchObject({
      success: false,
      code: "TOOL_PERMISSION",
      error: expect.stringContaining("https://example.com"),
    });
    expect(await call(name, { url }, { allowedHosts: ["example.com"] })).toMatchObject({
      code: "CONNECT_BLOCKED",
    });
  }
  expect(reached).toBe(0);
});

test("http_get decodes text by its charset", async () => {
  const bodies: Record<string, [string | undefined, Uint8Array]> = {
    latin1: ["text/plain; charset=ISO-8859-1", Uint8Array.from([0x67, 0x72, 0xfc, 0xdf, 0x65])],
    utf16: ["text/plain", Uint8Array.from([0xff, 0xfe, 0x67, 0, 0x72, 0, 0xfc, 0, 0xdf, 0, 0x65, 0])],
    sjis: ["text/html; charset=Shift_JIS", Uint8Array.from([0x93, 0xfa, 0x96, 0x7b])],
    meta: ["text/html", Buffer.from('<meta charset="windows-1252">gr\u00fc\u00dfe', "latin1")],
    unknown: ["text/plain; charset=klingon", Buffer.from("grüße")],
    untold: [undefined, Buffer.from("grüße")],
    bom: ["application/json", Buffer.from("\ufeff{}")],
  };
  const { url, host } = await listenOnLoopback((request, response) => {
    const [type, body] = bodies[request.url?.slice(1) ?? ""] ?? [];
    if (type !== undefined) response.setHeader("content-type", type);
    response.end(body);
  });
  const call = openNetworkCalls();
  const texts = await Promise.all(
    Object.keys(bodies).map(async (name) => {
      const result = await call("http_get", { url: `${url}/${name}` }, { allowedHosts: [host] });
      return [name, result.success ? (result.result as { body: string }).body : result.error];
    }),
  );
  expect(Object.fromEntries(texts)).toEqual({
    latin1: "grüße",
    utf16: "grüße",
    sjis: "日本",
    meta: '<meta charset="windows-1252">grüße',
    unknown: "grüße",
    untold: "grüße",
    bom: "{}",
  });
});

test("http_get gives small binary bodies as base64 and describes large ones", async () => {
  const { url, host } = await listenOnLoopback((request, response) => {
    response.setHeader("content-type", "image/png");
    response.end(Buffer.alloc(request.url === "/small" ? 4 : 5_000, 0x89));
  });
  const call = openNetworkCalls();
  const small = await call("http_get", { url: `${url}/small` }, { allowedHosts: [host] });
  expect(getOutcome(small)).toMatchObject({ body: "iYmJiQ==", encoding: "base64" });
  const large = await call("http_get", { url: `${url}/large` }, { allowedHosts: [host] });
  expect(getOutcome(large)).toMatchObject({
    body: "",
    note: "The body is image/png, 5.0 kB: it is not text and is left out",
  });
});

test("http_get says what it cut, what it could not undo, and where a redirect leads", async () => {
  const { url, host } = await listenOnLoopback((request, response) => {
    if (request.url === "/long") response.setHeader("content-type", "text/plain").end("a".repeat(3_000));
    else if (request.url === "/odd") response.setHeader("content-encoding", "snappy").end("abc");
    else if (request.url === "/on") response.writeHead(302, { location: "/there" }).end();
    else if (request.url === "/there") response.setHeader("content-type", "text/plain").end("here");
    else
      response
        .writeHead(301, { location: "https://www.example.com/", "content-type": "text/plain" })
        .end("moved");
  });
  const call = openNetworkCalls({ maxResponseBytes: 1_000 });
  const get = async (path: string) =>
    getOutcome(await call("http_get", { url: url + path }, { allowedHosts: [host] }));
  expect(await get("/long")).toMatchObject({
    body: "a".repeat(1_000),
    note: "The body went on after 1.0 kB and was cut there",
  });
  expect(await get("/odd")).toMatchObject({
    body: "",
    note: "The body is of an unknown type in the coding snappy, 3 B: it is not text and is left out",
  });
  expect(await get("/on")).toMatchObject({ status: 200, body: "here", url: `${url}/there` });
  expect(await get("/away")).toMatchObject({
    status: 301,
    body: "moved",
    note: 'This redirects to "https://www.example.com/" and was not followed; call again with that address to go there',
  });
});

test("http_get undoes compression before it reads", async () => {
  const { url, host } = await listenOnLoopback((_request, response) => {
    response
      .writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" })
      .end(gzipSync("packed"));
  });
  const result = await openNetworkCalls()("http_get", { url }, { allowedHosts: [host] });
  expect(getOutcome(result)).toMatchObject({ status: 200, body: "packed" });
});

test("http_get ends when its call is cancelled and at its deadline", async () => {
  const arrived = Promise.withResolvers<void>();
  const { url, host } = await listenOnLoopback((_request, response) => {
    response.write("never ends");
    arrived.resolve();
  });
  const call = openNetworkCalls();
  const controller = new AbortController();
  const cancelled = call("http_get", { url }, { allowedHosts: [host], signal: controller.signal });
  await arrived.promise;
  controller.abort();
  expect(await cancelled).toMatchObject({ code: "TOOL_CANCELLED" });
  const late = await call("http_get", { url }, { allowedHosts: [host], timeoutMs: 50 });
  expect(late).toMatchObject({ code: "TOOL_TIMEOUT" });
  expect(late).not.toHaveProperty("stillRunning");
});
