import { type AddressInfo, createServer, type Socket } from "node:net";
import { brotliCompressSync, createGzip, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { connectContext, openTestConnector } from "../../../../test/support/connect.ts";
import { listenOnLoopback } from "../../../../test/support/loopback.ts";

const text = (body: Uint8Array) => new TextDecoder().decode(body);

test("Connector.request() undoes gzip, deflate, br and zstd, and leaves what it does not know", async () => {
  const coded: Record<string, Uint8Array> = {
    gzip: gzipSync("packed"),
    deflate: deflateSync("packed"),
    br: brotliCompressSync("packed"),
    zstd: zstdCompressSync("packed"),
    "gzip, br": brotliCompressSync(gzipSync("packed")),
    identity: Buffer.from("packed"),
    snappy: Buffer.from("raw"),
    "gzip, gzip, gzip": Buffer.from("raw"),
  };
  const { url, host } = await listenOnLoopback((request, response) => {
    const coding = decodeURIComponent(request.url?.slice(1) ?? "");
    response.writeHead(200, { "content-encoding": coding }).end(coded[coding]);
  });
  const connector = openTestConnector();
  const got = await Promise.all(
    Object.keys(coded).map(async (coding) => {
      const answer = await connector.request(
        { url: `${url}/${encodeURIComponent(coding)}` },
        connectContext({ allowedHosts: [host] }),
      );
      return [coding, text(answer.body), answer.encoding];
    }),
  );
  expect(got).toEqual([
    ["gzip", "packed", undefined],
    ["deflate", "packed", undefined],
    ["br", "packed", undefined],
    ["zstd", "packed", undefined],
    ["gzip, br", "packed", undefined],
    ["identity", "packed", undefined],
    ["snappy", "raw", "snappy"],
    ["gzip, gzip, gzip", "raw", "gzip, gzip, gzip"],
  ]);
});

test("Connector.request() reads empty answers of every kind", async () => {
  const { url, host } = await listenOnLoopback((request, response) => {
    const status = Number(request.url?.slice(1));
    response.writeHead(status, {
      "content-encoding": "gzip",
      ...(status === 200 ? { "content-length": "0" } : {}),
    });
    response.end();
  });
  const connector = openTestConnector();
  const context = connectContext({ allowedHosts: [host] });
  for (const status of [200, 201, 204, 304]) {
    const answer = await connector.request({ url: `${url}/${status}` }, context);
    expect([answer.status, answer.body.length, answer.truncated]).toEqual([status, 0, false]);
  }
  const head = await connector.request({ url: `${url}/201`, method: "HEAD" }, context);
  expect([head.status, head.body.length]).toEqual([201, 0]);
});

test("Connector.request() stops a decompression bomb at the limit", async () => {
  let sent = 0;
  const { url, host } = await listenOnLoopback((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    const gzip = createGzip({ level: 9 });
    gzip.on("data", (chunk: Buffer) => {
      sent += chunk.length;
    });
    gzip.pipe(response);
    response.on("close", () => gzip.destroy());
    const zeros = Buffer.alloc(1_000_000);
    const pour = () => {
      while (!gzip.destroyed && gzip.write(zeros));
    };
    gzip.on("drain", pour);
    pour();
  });
  const answer = await openTestConnector().request(
    { url, maxBytes: 5_000_000 },
    connectContext({ allowedHosts: [host] }),
  );
  expect([answer.body.length, answer.truncated]).toEqual([5_000_000, true]);
  expect(sent).toBeLessThan(5_000_000);
});

test("Connector.request() cuts a body of 300 MB at 10 MB and hangs up", async () => {
  let hungUp: (sent: number) => void;
  const closed = new Promise<number>((resolve) => {
    hungUp = resolve;
  });
  const { url, host } = await listenOnLoopback((_request, response) => {
    let sent = 0;
    const chunk = Buffer.alloc(1_000_000, "a");
    const pour = () => {
      while (sent < 300_000_000 && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return;
      }
      response.end();
    };
    response.on("drain", pour).on("close", () => hungUp(sent));
    pour();
  });
  const answer = await openTestConnector().request({ url }, connectContext({ allowedHosts: [host] }));
  expect([answer.body.length, answer.truncated]).toEqual([10_000_000, true]);
  expect(await closed).toBeLessThan(100_000_000);
});

test("Connector.request() refuses a body that declares to be over the limit, where it was told to", async () => {
  const { url, host } = await listenOnLoopback((_request, response) => {
    response.writeHead(200, { "content-length": "300000000" });
    response.write("start");
  });
  const connector = openTestConnector({ maxResponseBytes: 1_000 });
  const context = connectContext({ allowedHosts: [host] });
  await expect(connector.request({ url, oversize: "refuse" }, context)).rejects.toMatchObject({
    code: "RESPONSE_TOO_LARGE",
    message: `Cannot get "${url}/": its answer of 300 MB is over the limit of 1.0 kB; ask for a part of it, or get it with a command`,
  });
});

test("Connector.request() ends with the reason of its signal, wherever it is", async () => {
  const never = new Promise<never>(() => undefined);
  const arrived = Promise.withResolvers<void>();
  const { url, host } = await listenOnLoopback((request, response) => {
    if (request.url === "/body") {
      response.writeHead(200);
      response.write("a");
    }
    arrived.resolve();
  });
  const reason = new Error("enough");
  const stopped = new AbortController();
  stopped.abort(reason);
  const context = connectContext({ allowedHosts: [host, "slow.internal"] });
  await expect(openTestConnector().request({ url }, { ...context, signal: stopped.signal })).rejects.toBe(
    reason,
  );

  for (const path of ["/headers", "/body"]) {
    const controller = new AbortController();
    const request = openTestConnector().request(
      { url: url + path },
      { ...context, signal: controller.signal },
    );
    await arrived.promise;
    controller.abort(reason);
    await expect(request).rejects.toBe(reason);
  }

  const asked = Promise.withResolvers<void>();
  const resolve = () => {
    asked.resolve();
    return never;
  };
  const controller = new AbortController();
  const lookup = openTestConnector({ resolve }).request(
    { url: "http://slow.internal/" },
    { ...context, signal: controller.signal },
  );
  await asked.promise;
  controller.abort(reason);
  await expect(lookup).rejects.toBe(reason);
});

test("Connector.request() ends at the deadline while a body drips", async () => {
  const { url, host } = await listenOnLoopback((_request, response) => {
    const drip = setInterval(() => response.write("."), 5);
    response.on("close", () => clearInterval(drip));
  });
  const signal = AbortSignal.timeout(100);
  const request = openTestConnector().request({ url }, connectContext({ allowedHosts: [host], signal }));
  expect(await request.catch((error: unknown) => error === signal.reason)).toBe(true);
});

async function listenRaw(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => undefined));
    onSocket(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("Connector.request() says in words what a broken server did", async () => {
  const hangsUp = await listenRaw((socket) => socket.destroy());
  const talksGibberish = await listenRaw((socket) => socket.end("hello\r\n\r\n"));
  const stopsShort = await listenRaw((socket) =>
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"),
  );
  const liesAboutGzip = await listenRaw((socket) =>
    socket.end("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nplain"),
  );
  const manyHeaders = await listenRaw((socket) =>
    socket.end(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(100_000)}\r\n\r\n`),
  );
  const gone = await listenRaw(() => undefined);
  const connector = openTestConnector({
    resolve: async () => {
      throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
    },
  });
  const context = connectContext({ allowedHosts: ["127.0.0.1", "*"] });
  const getState = async (url: string) => {
    const error = await connector
      .request({ url }, context)
      .catch((thrown: { code: string; message: string }) => thrown);
    return "code" in error ? [error.code, error.message.slice(error.message.indexOf('": ') + 3)] : error;
  };
  expect(await getState(hangsUp)).toEqual(["CONNECT_FAILED", "it closed the connection; try again later"]);
  expect(await getState(stopsShort)).toEqual([
    "CONNECT_FAILED",
    expect.stringContaining("closed the connection"),
  ]);
  expect(await getState(talksGibberish)).toEqual(["CONNECT_FAILED", expect.stringContaining("is not HTTP")]);
  expect(await getState(liesAboutGzip)).toEqual([
    "CONNECT_FAILED",
    "its answer is not compressed as it says; ask for it with accept-encoding identity",
  ]);
  expect(await getState(manyHeaders)).toEqual([
    "CONNECT_FAILED",
    expect.stringContaining("more headers than are read"),
  ]);
  expect(await getState("http://nowhere.example")).toEqual([
    "CONNECT_FAILED",
    "its name has no address; check the spelling",
  ]);
  expect(await getState(gone.replace("http:", "https:").replace(/\d+$/, "1"))).toEqual([
    "CONNECT_FAILED",
    "nothing listens there; check the port and that the server runs",
  ]);
});
