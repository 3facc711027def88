import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { type HttpListener, type HttpListenerOptions, openListener } from "./listener.ts";

async function open(options: Partial<HttpListenerOptions> = {}): Promise<HttpListener> {
  const listener = await openListener({
    port: 0,
    handler: (_request, response) => void response.end("in"),
    ...options,
  });
  onTestFinished(() => listener.close(0));
  return listener;
}

function send(
  port: number,
  headers: Record<string, string>,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, headers, agent: false }, (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      );
    });
    request.on("error", reject).end();
  });
}

async function getStatus(port: number, headers: Record<string, string>): Promise<number> {
  return (await send(port, headers)).status;
}

/** Sends bytes and gives what came back by the time the server hung up. */
function exchangeRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.on("error", reject);
    void text(socket).then(resolve, reject);
  });
}

test("openListener() binds loopback and says where it is", async () => {
  const { url, port } = await open();
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect((await send(port, {})).body).toBe("in");
});

test("openListener() lets its own names in, whatever the port of a forward", async () => {
  const { port } = await open();
  const hosts = [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `LOCALHOST:${port}`,
    `[::1]:${port}`,
    "localhost:9000",
    "localhost",
  ];
  expect(await Promise.all(hosts.map((host) => getStatus(port, { host })))).toEqual(hosts.map(() => 200));
});

test("openListener() answers 403 to every foreign Host, and the handler never sees it", async () => {
  let handled = 0;
  const { port } = await open({
    handler: (_request, response) => {
      handled++;
      response.end();
    },
  });
  const hosts = [
    "evil.example.com",
    `evil.example.com:${port}`,
    "localhost.evil.test",
    "127.0.0.1.nip.io",
    "evil-localhost",
    "localhost:80:80",
    "10.0.0.1",
    "localhost@evil.test",
  ];
  expect(await Promise.all(hosts.map((host) => getStatus(port, { host })))).toEqual(hosts.map(() => 403));
  expect(await exchangeRaw(port, "GET / HTTP/1.0\r\n\r\n")).toContain("403 Forbidden");
  expect(await exchangeRaw(port, "GET / HTTP/1.1\r\nHost:\r\n\r\n")).toContain("403 Forbidden");
  expect(handled).toBe(0);
  expect((await send(port, { host: "evil.test" })).body).toBe(
    '{"error":"Cannot answer this request: its Host \\"evil.test\\" is not this server\'s; add it to the allowed hosts if it is yours"}',
  );
});

test("openListener() answers 403 to every foreign Origin", async () => {
  const { port } = await open({ allowedOrigins: ["https://app.example.com", "http://localhost:*"] });
  const known = [
    `http://127.0.0.1:${port}`,
    "https://app.example.com",
    "http://localhost:3000",
    "http://localhost",
  ];
  const foreign = [
    "null",
    "http://evil.test",
    "http://app.example.com",
    "https://app.example.com:444",
    "https://app.example.com.evil.test",
    "http://localhost.evil.test:80",
    "https://localhost:3000",
    `http://127.0.0.1:${port + 1}`,
    "",
  ];
  const host = `127.0.0.1:${port}`;
  expect(await Promise.all(known.map((origin) => getStatus(port, { host, origin })))).toEqual(
    known.map(() => 200),
  );
  expect(await Promise.all(foreign.map((origin) => getStatus(port, { host, origin })))).toEqual(
    foreign.map(() => 403),
  );
});

test("openListener() lets further names in, where they are listed", async () => {
  const { port } = await open({ allowedHosts: ["haft.example.com", "other.example.com:8443"] });
  const statuses = await Promise.all(
    [
      "haft.example.com",
      "HAFT.example.com:443",
      "other.example.com:8443",
      "other.example.com",
      "x.haft.example.com",
    ].map((host) => getStatus(port, { host })),
  );
  expect(statuses).toEqual([200, 200, 200, 403, 403]);
});

test("openListener() on all addresses takes addresses for Host, and still no foreign name", async () => {
  const { url, port } = await open({ host: "0.0.0.0" });
  expect(url).toBe(`http://127.0.0.1:${port}`);
  const statuses = await Promise.all(
    [`192.168.1.5:${port}`, `[fd00::1]:${port}`, "localhost", "evil.test"].map((host) =>
      getStatus(port, { host }),
    ),
  );
  expect(statuses).toEqual([200, 200, 200, 403]);
});

test("openListener() says what to do about a port that is taken", async () => {
  const { port } = await open();
  await expect(openListener({ port, handler: () => undefined })).rejects.toMatchObject({
    code: "LISTEN_BUSY",
    message: `Cannot listen on "127.0.0.1:${port}": another program has that port; choose another, or 0 for any free one`,
  });
});

test("openListener() says what to do about an address it cannot have", async () => {
  const handler = () => undefined;
  await expect(openListener({ host: "", port: 0, handler })).rejects.toMatchObject({ code: "LISTEN_FAILED" });
  await expect(openListener({ host: "192.0.2.1", port: 0, handler })).rejects.toMatchObject({
    code: "LISTEN_FAILED",
    message: 'Cannot listen on "192.0.2.1:0": this machine does not have that address; use 127.0.0.1',
  });
});

test("openListener() answers 500 for a handler that fails, and lives on", async () => {
  let calls = 0;
  const { port } = await open({
    handler: (_request, response) => {
      calls++;
      if (calls === 1) throw new Error("at once");
      if (calls === 2) return Promise.reject(new Error("later"));
      response.end("fine");
      return undefined;
    },
  });
  const answers = [await send(port, {}), await send(port, {}), await send(port, {})];
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [500, '{"error":"Internal error"}'],
    [500, '{"error":"Internal error"}'],
    [200, "fine"],
  ]);
});

test("openListener() hangs up on a client that is slow with its headers or its body", async () => {
  const { port } = await open({
    headersTimeoutMs: 50,
    requestTimeoutMs: 100,
    handler: async (request, response) => {
      await text(request).catch(() => "");
      response.end();
    },
  });
  const host = `host: 127.0.0.1:${port}\r\n`;
  const answers = await Promise.all([
    exchangeRaw(port, `GET / HTTP/1.1\r\n${host}x: `),
    exchangeRaw(port, `POST / HTTP/1.1\r\n${host}content-length: 10\r\n\r\nabc`),
  ]);
  expect(answers.map((answer) => answer.slice(9, 12))).toEqual(["408", "408"]);
});

test("openListener() hangs up on a client that sends too many headers", async () => {
  const { port } = await open({ maxHeaderBytes: 2_000 });
  const host = `host: 127.0.0.1:${port}\r\n`;
  const answer = await exchangeRaw(port, `GET / HTTP/1.1\r\n${host}x: ${"a".repeat(3_000)}\r\n\r\n`);
  expect(answer.slice(9, 12)).toBe("431");
});

test("openListener() drops connections over the limit", async () => {
  const { port } = await open({ maxConnections: 1 });
  const first = connect(port, "127.0.0.1");
  onTestFinished(() => void first.destroy());
  await new Promise((done) => first.once("connect", done));
  expect(await exchangeRaw(port, "").catch(() => "")).toBe("");
});

test("HttpListener.close() lets an answer finish, and cuts what is left after the grace", async () => {
  const arrived = Promise.withResolvers<() => void>();
  const listener = await open({
    handler: (_request, response) => {
      response.write("a");
      arrived.resolve(() => void response.end("b"));
    },
  });
  const answer = send(listener.port, { connection: "keep-alive" });
  const finish = await arrived.promise;
  const closed = listener.close(10_000);
  expect(listener.close()).toBe(closed);
  finish();
  expect((await answer).body).toBe("ab");
  await closed;

  const stuck = await open({ handler: (_request, response) => void response.write("a") });
  const cut = send(stuck.port, {});
  const failed = expect(cut).rejects.toThrow();
  await Promise.all([
    failed,
    (async () => {
      await new Promise((done) => setImmediate(done));
      await stuck.close(20);
    })(),
  ]);
});

test("openListener() answers offers of other protocols as any other request, and hands over WebSocket alone", async () => {
  const upgrade = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "" };
  const socket = { connection: "Upgrade", upgrade: "websocket" };
  const plain = await open();
  expect([await getStatus(plain.port, upgrade), await getStatus(plain.port, socket)]).toEqual([200, 200]);
  const taken: string[] = [];
  const mixed = await open({
    upgrade: (request, connection) => {
      taken.push(request.headers.upgrade ?? "");
      connection.destroy();
    },
  });
  expect(await getStatus(mixed.port, upgrade)).toBe(200);
  await expect(getStatus(mixed.port, socket)).rejects.toThrow();
  expect(await getStatus(mixed.port, { ...socket, origin: "https://attacker.example" })).toBe(403);
  expect(taken).toEqual(["websocket"]);
});

test("openListener() cuts the connections that it handed over once it was closed", async () => {
  const listener = await open({ upgrade: (_request, connection) => void connection.write("taken") });
  const socket = connect(listener.port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  const taken = await new Promise((resolve) => socket.once("data", resolve));
  await listener.close(0);
  expect([String(taken), await text(socket)]).toEqual(["taken", ""]);
});
