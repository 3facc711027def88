import { expect, test } from "vitest";
import {
  connectContext,
  countSockets,
  decidedFor,
  openTestConnector,
} from "../../../../test/support/connect.ts";
import { listenOnLoopback } from "../../../../test/support/loopback.ts";

const text = (body: Uint8Array) => new TextDecoder().decode(body);

test("Connector.request() answers each hostile redirect without following it", async () => {
  const connector = openTestConnector();
  const statuses = [301, 302, 303, 307, 308];
  const { url, host } = await listenOnLoopback((request, response) => {
    const [, status = "302", ...location] = (request.url ?? "").split("/");
    response.writeHead(Number(status), { location: decodeURIComponent(location.join("/")) }).end("moved");
  });
  const targets = [
    "http://127.0.0.1/",
    "http://[::1]/",
    "http://169.254.169.254/latest/",
    "http://10.0.0.1/",
    "http://[::ffff:a00:1]/",
    "http://metadata.google.internal/",
    "//192.168.1.1/",
    "file:///etc/passwd",
    "https://example.com/",
    "http://user@example.com/",
    "http://127.0.0.1.nip.io/",
    "ftp://127.0.0.1/",
  ];
  const sockets = await countSockets(async () => {
    for (const status of statuses) {
      for (const target of targets) {
        const answer = await connector.request(
          { url: `${url}/${status}/${encodeURIComponent(target)}` },
          connectContext({ allowedHosts: [host] }),
        );
        expect([answer.status, answer.location, text(answer.body), answer.redirects]).toEqual([
          status,
          target.startsWith("//") ? `http:${target}` : target,
          "moved",
          [],
        ]);
      }
    }
  });
  // The first server's own, however many it took.
  expect(sockets).toBeLessThan(5);
});

test("Connector.request() checks a redirect again that allowedHosts cover", async () => {
  const { url, host } = await listenOnLoopback((request, response) => {
    response.writeHead(302, { location: decodeURIComponent((request.url ?? "").slice(1)) }).end();
  });
  const connector = openTestConnector({ resolve: async () => ["10.0.0.1"] });
  const context = connectContext({ allowedHosts: [host, "*"] });
  for (const target of ["http://127.0.0.1:1/", "http://169.254.169.254/", "http://looks-public.example/"]) {
    const request = connector.request({ url: `${url}/${encodeURIComponent(target)}` }, context);
    await expect(request).rejects.toMatchObject({ code: "CONNECT_BLOCKED" });
  }
});

test("Connector.request() follows redirects on the same origin, and says which", async () => {
  const { url, host } = await listenOnLoopback((request, response) => {
    if (request.url === "/a") response.writeHead(301, { location: "b?x=1" }).end();
    else if (request.url === "/b?x=1")
      response.writeHead(307, { location: "//" + request.headers.host + "/c" }).end();
    else response.end("here");
  });
  const answer = await openTestConnector().request(
    { url: `${url}/a` },
    connectContext({ allowedHosts: [host] }),
  );
  expect([answer.status, answer.url, answer.redirects, text(answer.body)]).toEqual([
    200,
    `${url}/c`,
    [`${url}/a`, `${url}/b?x=1`],
    "here",
  ]);
});

test("Connector.request() follows at most 5 redirects", async () => {
  const seen: (string | undefined)[] = [];
  const { url, host } = await listenOnLoopback((request, response) => {
    seen.push(request.url);
    response.writeHead(302, { location: `/${Number(request.url?.slice(1)) + 1}` }).end();
  });
  await expect(
    openTestConnector().request({ url: `${url}/0` }, connectContext({ allowedHosts: [host] })),
  ).rejects.toMatchObject({ code: "CONNECT_REDIRECTS" });
  expect(seen).toEqual(["/0", "/1", "/2", "/3", "/4", "/5"]);
});

test("Connector.request() sends no credentials on to another origin, and the body only with 307 and 308", async () => {
  const seen: unknown[] = [];
  const end = await listenOnLoopback(async (request, response) => {
    const { authorization, cookie, "x-api-key": key, accept, "content-type": type } = request.headers;
    const body = Buffer.concat(await request.toArray()).toString();
    seen.push({ method: request.method, authorization, cookie, key, accept, type, body });
    response.end();
  });
  const start = await listenOnLoopback((request, response) => {
    response.writeHead(Number(request.url?.slice(1)), { location: end.url }).end();
  });
  const connector = openTestConnector();
  for (const status of [302, 308]) {
    await connector.request(
      {
        url: `${start.url}/${status}`,
        method: "POST",
        body: "{}",
        headers: {
          Authorization: "Bearer a",
          Cookie: "b=c",
          "X-Api-Key": "d",
          Accept: "text/x",
          "Content-Type": "application/json",
        },
      },
      connectContext({ allowedHosts: [start.host, end.host] }),
    );
  }
  expect(seen).toEqual([
    { method: "GET", accept: "text/x", body: "" },
    { method: "POST", accept: "text/x", type: "application/json", body: "{}" },
  ]);
});

test("Connector.request() keeps credentials on the same origin", async () => {
  const { url, host } = await listenOnLoopback((request, response) => {
    if (request.url === "/") response.writeHead(302, { location: "/in" }).end();
    else response.end(request.headers.authorization);
  });
  const answer = await openTestConnector().request(
    { url, headers: { authorization: "Bearer a" } },
    connectContext({ allowedHosts: [host] }),
  );
  expect(text(answer.body)).toBe("Bearer a");
});

test("Connector.request() reaches a configured private host, but no redirect from there", async () => {
  const inner = await listenOnLoopback((_request, response) => response.end("inner"));
  const { url } = await listenOnLoopback((request, response) => {
    if (request.url === "/") response.end("service");
    else response.writeHead(302, { location: inner.url }).end();
  });
  const connector = openTestConnector();
  const context = connectContext({ effects: decidedFor(url, inner.url) });
  const answer = await connector.request({ url, isConfigured: true }, context);
  expect(text(answer.body)).toBe("service");
  await expect(connector.request({ url: `${url}/away`, isConfigured: true }, context)).rejects.toMatchObject({
    code: "CONNECT_BLOCKED",
  });
  await expect(connector.request({ url, isConfigured: true }, connectContext())).rejects.toMatchObject({
    code: "CONNECT_DENIED",
  });
  await expect(connector.request({ url }, context)).rejects.toMatchObject({ code: "CONNECT_BLOCKED" });
  const metadata = "http://169.254.169.254/";
  await expect(connector.origin(metadata, {}, { isConfigured: true })).rejects.toMatchObject({
    code: "CONNECT_BLOCKED",
  });
});
