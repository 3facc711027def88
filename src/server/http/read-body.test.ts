import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openListener } from "../../host/index.ts";
import { readBody } from "./read-body.ts";

type Read = (request: IncomingMessage) => Promise<Buffer | undefined>;

/** A server that reads each request, and the outcome of the first. */
async function readFirst(read: Read): Promise<{ readonly port: number; readonly outcome: Promise<string> }> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const listener = await openListener({
    port: 0,
    async handler(request, response) {
      resolve(
        await read(request).then(
          (body) => body?.toString() ?? "too long",
          () => "the client is gone",
        ),
      );
      response.end();
    },
  });
  onTestFinished(() => listener.close(0));
  return { port: listener.port, outcome: promise };
}

function post(port: number, body: string, headers: Record<string, string>): void {
  const request = httpRequest({ port, host: "127.0.0.1", method: "POST", agent: false, headers });
  request.on("error", () => undefined).on("response", (response) => response.resume());
  request.end(body);
}

test("readBody() gives a body as it was sent", async () => {
  const { port, outcome } = await readFirst((request) => readBody(request, 10));
  post(port, "späß", {});
  expect(await outcome).toBe("späß");
});

test("readBody() gives nothing of a body that is too long, whether or not it says its length", async () => {
  for (const headers of [{ "content-length": "11" }, { "transfer-encoding": "chunked" }]) {
    const { port, outcome } = await readFirst((request) => readBody(request, 10));
    post(port, "x".repeat(11), headers);
    expect(await outcome).toBe("too long");
  }
});

test("readBody() waits for nothing of a body that says to be too long", async () => {
  const { port, outcome } = await readFirst((request) => readBody(request, 10));
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n");
  expect(await outcome).toBe("too long");
});

test("readBody() rejects where the client goes away in the middle of its body", async () => {
  const { port, outcome } = await readFirst((request) => readBody(request, 10));
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.end("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1234");
  expect(await outcome).toBe("the client is gone");
});

test("readBody() rejects where the client went away before its body was asked for", async () => {
  const { port, outcome } = await readFirst(async (request) => {
    request.on("error", () => undefined);
    await new Promise((resolve) => request.on("close", resolve));
    return readBody(request, 10);
  });
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.end("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1234");
  expect(await outcome).toBe("the client is gone");
});
