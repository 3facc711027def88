import { once } from "node:events";
import { Agent, request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { type HttpListener, type HttpListenerOptions, openListener } from "./listener.ts";

async function open(options: Partial<HttpListenerOptions> = {}): Promise<HttpListener> {
  const listener = await openListener({
    port: 0,
    isIdentified: ({ headers }) => headers.authorization === "Bearer known",
    handler: (_request, response) => void response.end("in"),
    ...options,
  });
  onTestFinished(() => listener.close(0));
  return listener;
}

/** A connection that says nothing more than this. */
async function hold(port: number, said = "", localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined).resume();
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  if (said !== "") socket.write(said);
  return socket;
}

/** The sockets, opened a few at a time so that none waits in the queue of the system. */
async function holdMany(count: number, ...args: Parameters<typeof hold>): Promise<readonly Socket[]> {
  const held: Socket[] = [];
  while (held.length < count)
    held.push(
      ...(await Promise.all(Array.from({ length: Math.min(50, count - held.length) }, () => hold(...args)))),
    );
  return held;
}

function ask(
  port: number,
  options: { readonly agent?: Agent; readonly path?: string } = {},
): Promise<string> {
  const headers = { authorization: "Bearer known" };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: "127.0.0.1", port, headers, agent: false, ...options },
      (response) => {
        text(response).then(resolve, reject);
      },
    );
    request.on("error", reject).end();
  });
}

const isOpen = (socket: Socket) => !socket.closed;

test("600 connections that never finish their headers shut no new call out", async () => {
  const { port } = await open();
  await holdMany(600, port, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  expect(await ask(port)).toBe("in");
});

test("1,500 connections held without a word leave a new call its place, and only as many as are allowed stay", async () => {
  const { port } = await open();
  const held = await holdMany(1_500, port);
  for (let calls = 0; calls < 20; calls++) expect(await ask(port)).toBe("in");
  await expect.poll(() => held.filter(isOpen).length).toBeLessThanOrEqual(64);
  expect(held.at(-1)?.closed).toBe(false);
});

test("the oldest connection without a token goes for a new one of its address, and none of another", async () => {
  const { port } = await open({ unidentified: { perAddress: 2, inAll: 10 } });
  const other = await hold(port, "", "127.0.0.2");
  const first = await hold(port);
  const second = await hold(port);
  const third = await hold(port);
  await expect.poll(() => first.closed).toBe(true);
  expect([other, second, third].map(isOpen)).toEqual([true, true, true]);
});

test("of all addresses together there are no more than the bound either", async () => {
  const { port } = await open({ unidentified: { perAddress: 2, inAll: 3 } });
  const addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"];
  const held: Socket[] = [];
  for (const address of addresses) held.push(await hold(port, "", address));
  await expect.poll(() => held.map(isOpen)).toEqual([false, true, true, true]);
});

test("a connection that has shown its token keeps its place, its call under way and all after it", async () => {
  const arrived = Promise.withResolvers<() => void>();
  const { port } = await open({
    unidentified: { perAddress: 2, inAll: 4 },
    handler: (request, response) => {
      if (request.url === "/slow") arrived.resolve(() => response.end("at last"));
      else response.end("in");
    },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const slow = ask(port, { agent, path: "/slow" });
  const answer = await arrived.promise;
  const held = await holdMany(10, port);
  await expect.poll(() => held.filter(isOpen).length).toBe(2);
  answer();
  expect(await slow).toBe("at last");
  expect(await ask(port, { agent })).toBe("in");
});

test("a request with a wrong token keeps no place", async () => {
  const { port } = await open({ unidentified: { perAddress: 1, inAll: 4 } });
  const wrong = await hold(port, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer wrong\r\n\r\n");
  await once(wrong, "data");
  await hold(port);
  await expect.poll(() => wrong.closed).toBe(true);
});
