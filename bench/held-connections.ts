import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { openListener } from "../src/host/index.ts";

// How long a new call takes while others hold connections to the port of `haft serve`: node bench/held-connections.ts

const calls = 200;
const token = "Bearer known";
const situations: Readonly<Record<string, readonly [count: number, said: string]>> = {
  "nobody else": [0, ""],
  "600 with half of their headers": [600, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"],
  "1,500 that say nothing": [1500, ""],
  "1,500 that have shown the token": [
    1500,
    `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${token}\r\n\r\n`,
  ],
};

function ask(port: number): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { authorization: token };
    const request = httpRequest({ host: "127.0.0.1", port, headers, agent: false }, (response) => {
      response.resume().once("end", () => resolve(performance.now() - startedAt));
    });
    request.once("error", reject).end();
  });
}

async function hold(port: number, said: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined).resume();
  await once(socket, "connect");
  socket.write(said);
  return socket;
}

for (const [name, [count, said]] of Object.entries(situations)) {
  const listener = await openListener({
    port: 0,
    isIdentified: ({ headers }) => headers.authorization === token,
    handler: (_request, response) => void response.end("in"),
  });
  const held: Socket[] = [];
  while (held.length < count)
    held.push(...(await Promise.all(Array.from({ length: 50 }, () => hold(listener.port, said)))));
  const times: number[] = [];
  for (let call = 0; call < calls; call++) times.push(await ask(listener.port));
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * calls)] ?? 0).toFixed(1);
  const open = held.filter((socket) => !socket.closed).length;
  process.stdout.write(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, ${open} of ${count} still held\n`);
  for (const socket of held) socket.destroy();
  await listener.close(0);
}
