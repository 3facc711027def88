import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLoopbackProxy, openProxy, type ProxyOptions, type SocketProxy } from "./proxy.ts";

/** A server on this machine, and its authority; ends with the test. */
async function startServer(
  answer: RequestListener,
): Promise<{ readonly server: Server; readonly host: string }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function open(host: string, options: Partial<ProxyOptions> = {}): Promise<SocketProxy> {
  const proxy = await openProxy({ hosts: [host], allowedHosts: [host], ...options });
  onTestFinished(() => proxy.close());
  return proxy;
}

/** What a client reads of an answer through the proxy: its status and text, and whether it was whole. */
function get(
  { socket }: SocketProxy,
  url: string,
): Promise<{ status: number; text: string; complete: boolean }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: socket, path: url }, (answer: IncomingMessage) => {
      let text = "";
      answer.on("data", (piece: Buffer) => (text += piece.toString()));
      answer.on("error", () => {});
      answer.on("close", () => resolve({ status: answer.statusCode ?? 0, text, complete: answer.complete }));
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

/** A client that asks for a tunnel, or for a page. */
function ask({ socket }: SocketProxy, line: string): Socket {
  const client = connect(socket);
  client.on("error", () => {});
  client.write(`${line} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return client;
}

describe("openProxy()", () => {
  test("passes on what goes to one of the hosts, and tells what it refused", async () => {
    const { host } = await startServer((_request, response) => response.end("here"));
    const other = await startServer((_request, response) => response.end("there"));
    const proxy = await open(host);
    expect(await get(proxy, `http://${host}/`)).toEqual({ status: 200, text: "here", complete: true });
    expect(await get(proxy, `http://${other.host}/`)).toMatchObject({ status: 403, complete: true });
    expect(proxy.refused).toEqual([other.host]);
  });

  test("remembers why one of its hosts could not be reached, in the connector's words", async () => {
    const proxy = await open("inner.example.com", {
      allowedHosts: [],
      resolve: () => Promise.resolve(["10.0.0.7"]),
    });
    await get(proxy, "http://inner.example.com/");
    await get(proxy, "http://inner.example.com/again");
    expect(proxy.refused).toEqual([]);
    expect(proxy.failed).toEqual([
      'Cannot connect to "inner.example.com": it resolves to 10.0.0.7, a private address; if you mean it, add "10.0.0.7" to allowedHosts',
    ]);
    const nowhere = await open("nowhere.example.com", {
      resolve: () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" })),
    });
    expect(await get(nowhere, "http://nowhere.example.com/")).toMatchObject({ status: 502 });
    expect(nowhere.failed).toEqual([
      'Cannot get "http://nowhere.example.com/": its name has no address; check the spelling',
    ]);
  });

  test("breaks an answer off where its server does", async () => {
    const { host } = await startServer((_request, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("half", () => response.destroy());
    });
    const proxy = await open(host);
    expect(await get(proxy, `http://${host}/`)).toEqual({ status: 200, text: "half", complete: false });
  });

  test("refuses an answer that can't be given on", async () => {
    const { server, host } = await startServer(() => {});
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => socket.end("HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n"));
    expect(await get(await open(host), `http://${host}/`)).toMatchObject({
      status: 502,
      text: expect.stringContaining("status code"),
    });
  });

  test.for(["CONNECT", "GET"])("connects nowhere once it is closed during a look-up (%s)", async (method) => {
    const { server, host } = await startServer((_request, response) => response.end());
    let connections = 0;
    server.on("connection", () => connections++);
    const authority = host.replace("127.0.0.1", "here.internal");
    const lookup = Promise.withResolvers<string[]>();
    const asked = Promise.withResolvers<void>();
    const proxy = await open(authority, {
      resolve: () => {
        asked.resolve();
        return lookup.promise;
      },
    });
    const client = ask(proxy, method === "GET" ? `GET http://${authority}/` : `CONNECT ${authority}`);
    const gone = new Promise((resolve) => client.on("close", resolve));
    await asked.promise;
    proxy.close();
    await gone;
    lookup.resolve(["127.0.0.1"]);
    // A connection of its own, made later, comes after any that the proxy made.
    await new Promise((resolve) => request(`http://${host}/`, resolve).end());
    expect(connections).toBe(1);
    expect(existsSync(dirname(proxy.socket))).toBe(false);
  });
});

describe("openLoopbackProxy()", () => {
  test("serves who knows its secret, and nobody else, pages and tunnels alike", async () => {
    const { host } = await startServer((_request, response) => response.end("here"));
    const proxy = await openLoopbackProxy({ hosts: [host], allowedHosts: [host] });
    onTestFinished(() => proxy.close());
    const basic = (secret: string) => `Basic ${Buffer.from(`haft:${secret}`).toString("base64")}`;
    const send = (authorization: string | undefined, method: string, path: string) =>
      new Promise<string>((resolve, reject) => {
        const headers = authorization === undefined ? {} : { "proxy-authorization": authorization };
        const outgoing = request({ host: "127.0.0.1", port: proxy.port, method, path, headers });
        const settle = ({ statusCode, statusMessage }: IncomingMessage) =>
          resolve(`${statusCode} ${statusMessage}`);
        outgoing.on("response", (answer) => settle(answer.resume()));
        outgoing.on("connect", (answer, socket) => {
          socket.destroy();
          settle(answer);
        });
        outgoing.on("error", reject);
        outgoing.end();
      });
    for (const [method, path] of [
      ["GET", `http://${host}/`],
      ["CONNECT", host],
    ] as const) {
      expect(await send(undefined, method, path)).toBe("407 Proxy Authentication Required");
      expect(await send(basic(`${proxy.secret.slice(0, -1)}~`), method, path)).toMatch(/^407 /);
      expect(await send(basic(proxy.secret), method, path)).toMatch(/^200 /);
    }
    expect(proxy.secret).toMatch(/^[\w-]{32}$/);
  });
});
