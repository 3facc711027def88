import { expect, test } from "vitest";
import {
  connectContext,
  countSockets,
  decidedFor,
  openTestConnector,
} from "../../../../test/support/connect.ts";
import { listenOnLoopback } from "../../../../test/support/loopback.ts";

const text = (body: Uint8Array) => new TextDecoder().decode(body);

test("Connector.request() gets status, headers and body from a host in allowedHosts", async () => {
  const { url, host } = await listenOnLoopback((request, response) => {
    response.writeHead(201, {
      "content-type": "text/plain",
      "x-got": `${request.method} ${request.url}`,
      date: "today",
    });
    response.end("hello");
  });
  const answer = await openTestConnector().request(
    { url: `${url}/a%20b?c=d e#f` },
    connectContext({ allowedHosts: [host] }),
  );
  expect({ ...answer, body: text(answer.body) }).toEqual({
    url: `${url}/a%20b?c=d%20e`,
    status: 201,
    statusText: "Created",
    headers: {
      "content-type": "text/plain",
      "x-got": "GET /a%20b?c=d%20e",
      date: "today",
      connection: "keep-alive",
      "keep-alive": "timeout=5",
      "transfer-encoding": "chunked",
    },
    body: "hello",
    truncated: false,
    redirects: [],
  });
});

test("Connector.request() sends method, headers and body", async () => {
  const { url, host } = await listenOnLoopback(async (request, response) => {
    const chunks = await request.toArray();
    const { "content-type": type, "x-a": a, "user-agent": agent } = request.headers;
    response.end(
      JSON.stringify({ method: request.method, type, a, agent, body: Buffer.concat(chunks).toString() }),
    );
  });
  const connector = openTestConnector({ userAgent: "test" });
  const answer = await connector.request(
    { url, method: "PATCH", headers: { "Content-Type": "text/x", "X-A": "1" }, body: "grüße" },
    connectContext({ allowedHosts: [host] }),
  );
  expect(JSON.parse(text(answer.body))).toEqual({
    method: "PATCH",
    type: "text/x",
    a: "1",
    agent: "test",
    body: "grüße",
  });
});

test("Connector.request() refuses what is neither in allowedHosts nor decided, without a socket", async () => {
  const { url } = await listenOnLoopback((_request, response) => response.end("secret"));
  const connector = openTestConnector();
  const sockets = await countSockets(async () => {
    for (const context of [
      connectContext(),
      connectContext({ effects: decidedFor("https://other.example") }),
    ]) {
      await expect(connector.request({ url }, context)).rejects.toMatchObject({
        code: "CONNECT_DENIED",
        message: `Cannot connect to "${url}/": this call was not allowed to; allow "${url.slice(7)}" in allowedHosts, or approve a call for ${url}`,
      });
    }
  });
  expect(sockets).toBe(0);
});

test("Connector.request() opens no private address for a decided effect alone", async () => {
  const { url } = await listenOnLoopback((_request, response) => response.end("secret"));
  const request = openTestConnector().request({ url }, connectContext({ effects: decidedFor(url) }));
  await expect(request).rejects.toMatchObject({
    code: "CONNECT_BLOCKED",
    message:
      'Cannot connect to "127.0.0.1": 127.0.0.1 is a loopback address; if you mean it, add "127.0.0.1" to allowedHosts',
    details: { host: "127.0.0.1", address: "127.0.0.1", rule: "loopback" },
  });
});

/** Spelled to get past a check that reads the text; each is refused however the call was decided. */
const hostileUrls = [
  "http://127.0.0.1/",
  "http://127.0.1/",
  "http://127.1/",
  "http://0.0.0.0/",
  "http://0/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0x7f.1/",
  "http://017700000001/",
  "http://0177.1/",
  "http://①②⑦.⓪.⓪.①/",
  "http://127。0。0。1/",
  "http://127%2e0%2e0%2e1/",
  "http://[::]/",
  "http://[::1]/",
  "http://[0000::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[::ffff:0:127.0.0.1]/",
  "http://[::127.0.0.1]/",
  "http://[64:ff9b::127.0.0.1]/",
  "http://[64:ff9b:1::127.0.0.1]/",
  "http://[2002:7f00:1::]/",
  "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/",
  "http://[fc00::1]/",
  "http://[fe80::1]/",
  "http://[fec0::1]/",
  "http://[ff02::1]/",
  "http://[fd00:ec2::254]/",
  "http://0xa9fea9fe/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[::ffff:169.254.169.254]/",
  "http://10.0.0.1/",
  "http://172.31.255.255/",
  "http://192.168.1.1/",
  "http://100.64.0.1/",
  "http://198.18.0.1/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://LOCALHOST/",
  "http://localhost./",
  "http://foo.localhost/",
  "http://127.0.0.1.nip.io/",
  "http://127.0.0.1./",
  "http://127.0.0.1#@example.com/",
  "http://127.0.0.1?@example.com/",
  "http://example.com@127.0.0.1/",
  "http://user:pass@example.com/",
  "http://@example.com\\@127.0.0.1/",
  "http:\\\\127.0.0.1/",
  "http:127.0.0.1/",
  "//127.0.0.1/",
  "/etc/passwd",
  "",
  "file:///etc/passwd",
  "ftp://127.0.0.1/",
  "gopher://127.0.0.1/",
  "data:text/plain,x",
  "javascript:alert(1)",
  "http://metadata.google.internal/",
  "http://METADATA.google.internal./",
  "http://metadata/",
  "http://168.63.129.16/",
  "http://100.100.100.200/",
  "http://example.com:0/",
  "http://example.com:65536/",
  "http://exa\nmple.com/",
  "http://example.com/\r\nHost: evil",
  "http://example.com\u0000.evil.test/",
  "http://example.com%00.evil.test/",
  "http://exam ple.com/",
  "http://example..com/",
  "http://./",
  `http://example.com/${"a".repeat(20_000)}`,
];

test("Connector.request() refuses every hostile URL, though its host is allowed, without a socket", async () => {
  const resolve = async (host: string) => (host.endsWith("nip.io") ? ["127.0.0.1"] : ["93.184.216.34"]);
  const connector = openTestConnector({ resolve });
  const codes = new Map<string, unknown>();
  const sockets = await countSockets(async () => {
    for (const url of hostileUrls) {
      const context = connectContext({ allowedHosts: ["*"] });
      const code = await connector.request({ url }, context).then(
        () => "reached",
        (error: { code?: unknown }) => error.code,
      );
      codes.set(url, code);
    }
  });
  expect(sockets).toBe(0);
  expect([...codes].filter(([, code]) => code !== "CONNECT_BLOCKED" && code !== "CONNECT_URL")).toEqual([]);
  expect(codes.get("http://127.0.0.1.nip.io/")).toBe("CONNECT_BLOCKED");
});

test("Connector.request() dials the address it checked, and asks for it once per connection", async () => {
  const hosts: (string | undefined)[] = [];
  const { port } = await listenOnLoopback((request, response) => {
    hosts.push(request.headers.host);
    response.end("reached");
  });
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return ["127.0.0.1"];
  };
  const connector = openTestConnector({ resolve });
  const context = connectContext({
    effects: decidedFor(`http://rebind.test:${port}`),
    allowedHosts: ["127.0.0.1"],
  });
  const sockets = await countSockets(async () => {
    for (let count = 0; count < 5; count++) {
      const answer = await connector.request({ url: `http://rebind.test:${port}/` }, context);
      expect(text(answer.body)).toBe("reached");
    }
  });
  expect(hosts).toEqual(Array.from({ length: 5 }, () => `rebind.test:${port}`));
  expect(asked).toEqual(Array.from({ length: sockets }, () => "rebind.test"));
});

test("Connector.request() refuses a name whose second answer is private", async () => {
  const { port } = await listenOnLoopback((_request, response) => {
    response.writeHead(200, { connection: "close" }).end("reached");
  });
  const answers = ["127.0.0.1", "10.0.0.1"];
  const connector = openTestConnector({ resolve: async () => [answers.shift() as string] });
  const url = `http://rebind.test:${port}/`;
  const context = connectContext({
    effects: decidedFor(`http://rebind.test:${port}`),
    allowedHosts: ["127.0.0.1"],
  });
  expect(text((await connector.request({ url }, context)).body)).toBe("reached");
  await expect(connector.request({ url }, context)).rejects.toMatchObject({
    code: "CONNECT_BLOCKED",
    message:
      'Cannot connect to "rebind.test": it resolves to 10.0.0.1, a private address; if you mean it, add "10.0.0.1" to allowedHosts',
  });
});

test("Connector.request() refuses a name of which one address is private, without a socket", async () => {
  const records = [
    ["93.184.216.34", "127.0.0.1"],
    ["10.0.0.1", "93.184.216.34"],
    ["2606:4700::1111", "fd00::1"],
    ["fd00:ec2::254"],
    ["64:ff9b::7f00:1"],
    ["fe80::1%eth0"],
    ["not an address"],
  ];
  for (const addresses of records) {
    const connector = openTestConnector({ resolve: async () => addresses });
    const sockets = await countSockets(async () => {
      const request = connector.request(
        { url: "https://a.example/" },
        connectContext({ allowedHosts: ["a.example", "*"] }),
      );
      await expect(request).rejects.toMatchObject({ code: "CONNECT_BLOCKED" });
    });
    expect(sockets).toBe(0);
  }
});

test("Connector.request() shares no connection between calls with different bounds", async () => {
  const { url, host, port } = await listenOnLoopback((_request, response) => response.end("private"));
  const connector = openTestConnector({ resolve: async () => ["127.0.0.1"] });
  const opened = connectContext({ allowedHosts: [host] });
  expect((await connector.request({ url }, opened)).status).toBe(200);
  const inner = `http://db.internal:${port}`;
  expect(
    (await connector.request({ url: inner }, connectContext({ allowedHosts: ["db.internal"] }))).status,
  ).toBe(200);
  for (const target of [url, inner]) {
    for (const allowedHosts of [[], ["*"], ["db.internal:1"], ["10.0.0.0/8"]]) {
      const request = connector.request(
        { url: target },
        connectContext({ effects: decidedFor(target), allowedHosts }),
      );
      await expect(request).rejects.toMatchObject({ code: "CONNECT_BLOCKED" });
    }
  }
});

test("Connector.request() opens a private address to names that no public server can answer for, and to no other", async () => {
  const { port } = await listenOnLoopback((_request, response) => response.end("private"));
  const connector = openTestConnector({ resolve: async () => ["127.0.0.1"] });
  const outcome = async (host: string) =>
    connector.request({ url: `http://${host}:${port}/` }, connectContext({ allowedHosts: [host] })).then(
      ({ status }) => status,
      (error: { code: string }) => error.code,
    );
  const names = ["localhost", "api.localhost", "printer.local", "db.internal", "nas.home.arpa", "searxng"];
  expect(await Promise.all(names.map(outcome))).toEqual(names.map(() => 200));
  const others = ["example.com", "localhost.example.com", "internal.example.com"];
  expect(await Promise.all(others.map(outcome))).toEqual(others.map(() => "CONNECT_BLOCKED"));
});

test("Connector.request() opens a metadata service only to its one address", async () => {
  const connector = openTestConnector({ resolve: async () => ["169.254.169.254"], connectTimeoutMs: 50 });
  const url = "http://169.254.169.254/";
  for (const allowedHosts of [["169.254.0.0/16"], ["0.0.0.0/0"], ["*"], ["169.254.169.254:8080", "*"]]) {
    const request = connector.request({ url }, connectContext({ allowedHosts }));
    await expect(request).rejects.toMatchObject({ code: "CONNECT_BLOCKED" });
  }
  const named = connectContext({ allowedHosts: ["metadata.google.internal"] });
  await expect(connector.request({ url: "http://metadata.google.internal/" }, named)).rejects.toMatchObject({
    code: "CONNECT_BLOCKED",
    details: { address: "169.254.169.254" },
  });
  expect(await connector.origin(url, { allowedHosts: ["169.254.169.254"] })).toMatchObject({ within: true });
});

test("Connector.origin() gives the origin and whether allowedHosts cover it", async () => {
  const connector = openTestConnector();
  const allowedHosts = ["example.com", "*.python.org", "127.0.0.1:8080"];
  const origins = await Promise.all(
    [
      "https://Example.com:443/a?b#c",
      "http://example.com:80",
      "https://docs.python.org/3/",
      "https://other.com:444",
      "http://127.1:8080",
    ].map((url) => connector.origin(url, { allowedHosts })),
  );
  expect(origins).toEqual([
    { kind: "connect", target: "https://example.com", within: true },
    { kind: "connect", target: "http://example.com", within: true },
    { kind: "connect", target: "https://docs.python.org", within: true },
    { kind: "connect", target: "https://other.com:444", within: false },
    { kind: "connect", target: "http://127.0.0.1:8080", within: true },
  ]);
});

test("Connector.origin() refuses what no decision could allow", async () => {
  const connector = openTestConnector();
  await expect(connector.origin("http://10.0.0.1/", {})).rejects.toMatchObject({ code: "CONNECT_BLOCKED" });
  await expect(connector.origin("http://localhost:3000/", {})).rejects.toMatchObject({
    code: "CONNECT_BLOCKED",
  });
  await expect(connector.origin("file:///etc/passwd", {})).rejects.toMatchObject({
    code: "CONNECT_URL",
    message:
      'Cannot connect to "file:///etc/passwd": "file:" is no scheme to connect by; use https: or http:',
  });
});

test("Connector.origin() shows no password in its refusal", async () => {
  const refusal = openTestConnector().origin("https://me:hunter2@example.com/?key=abc", {});
  await expect(refusal).rejects.toMatchObject({
    code: "CONNECT_URL",
    message:
      'Cannot connect to "https://example.com/": it carries a user name or password; send them as an Authorization header',
  });
});

test("Connector.request() takes a decision for http for https on the same host, not the other way round", async () => {
  const connector = openTestConnector({ resolve: async () => ["10.0.0.1"] });
  const catchCode = async (url: string, effect: string) =>
    connector
      .request({ url }, connectContext({ effects: decidedFor(effect) }))
      .catch((error: { code: string }) => error.code);
  expect(await catchCode("https://a.example/", "http://a.example")).toBe("CONNECT_BLOCKED");
  expect(await catchCode("http://a.example/", "https://a.example")).toBe("CONNECT_DENIED");
  expect(await catchCode("https://a.example:8443/", "http://a.example")).toBe("CONNECT_DENIED");
  expect(await catchCode("https://a.example/", "http://b.example")).toBe("CONNECT_DENIED");
});

test("Connector.request() refuses header injection and headers of the connection", async () => {
  const { url, host } = await listenOnLoopback((_request, response) => response.end());
  const connector = openTestConnector();
  const hostile: Record<string, string>[] = [
    { "x-a": "1\r\nx-b: 2" },
    { "x-a": "1\nx-b: 2" },
    { "x-a": "1\u0000" },
    { "x-a\r\nx-b": "1" },
    { "x a": "1" },
    { "": "1" },
    { "x-a": "€" },
    { Host: "evil.test" },
    { "content-length": "5" },
    { "Transfer-Encoding": "chunked" },
    { Connection: "upgrade" },
  ];
  const sockets = await countSockets(async () => {
    for (const headers of hostile) {
      const request = connector.request({ url, headers }, connectContext({ allowedHosts: [host] }));
      await expect(request).rejects.toMatchObject({ code: "CONNECT_HEADER" });
    }
  });
  expect(sockets).toBe(0);
});
