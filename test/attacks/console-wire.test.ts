import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { ConsoleWorld, consoleApi } from "../support/console-world.ts";

/** Sends bytes as they are, and gives the statuses of all that is answered until the connection is closed. */
async function sendBytes(world: ConsoleWorld, bytes: string): Promise<readonly number[]> {
  const socket = connect(world.port, "127.0.0.1");
  let answered = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    answered += text;
  });
  socket.write(bytes);
  await once(socket, "close");
  return Array.from(answered.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status));
}

/** Requests that two readers may take for different ones, with what each is answered. */
const ambiguous = [
  ["one Host", [200], "GET API/session HTTP/1.1|Host: HOST|Authorization: Bearer TOKEN||"],
  [
    "a second Host",
    [403],
    "GET API/session HTTP/1.1|Host: HOST|Host: a.example|Authorization: Bearer TOKEN||",
  ],
  ["Host last", [403], "GET API/session HTTP/1.1|Host: a.example|Host: HOST|Authorization: Bearer TOKEN||"],
  [
    "the same Host twice",
    [403],
    "GET API/session HTTP/1.1|Host: HOST|Host: HOST|Authorization: Bearer TOKEN||",
  ],
  [
    "a second token",
    [401],
    "GET API/session HTTP/1.1|Host: HOST|Authorization: Bearer TOKEN|Authorization: Bearer x||",
  ],
  [
    "a second Content-Type",
    [415],
    "POST API/verify HTTP/1.1|Host: HOST|Authorization: Bearer TOKEN|Content-Type: application/json|Content-Type: text/plain|Content-Length: 2||{}",
  ],
  ["an address with a host", [403, 404], "GET http://HOSTAPI/session HTTP/1.1|Host: a.example||"],
  [
    "two lengths",
    [400],
    "POST API/verify HTTP/1.1|Host: HOST|Authorization: Bearer TOKEN|Content-Type: application/json|Content-Length: 2|Content-Length: 40||{}",
  ],
  [
    "a length and pieces",
    [400],
    "POST API/verify HTTP/1.1|Host: HOST|Authorization: Bearer TOKEN|Content-Type: application/json|Content-Length: 4|Transfer-Encoding: chunked||0||GET API/session HTTP/1.1|Host: HOST||",
  ],
  [
    "a space before a colon",
    [400],
    "POST API/verify HTTP/1.1|Host: HOST|Authorization: Bearer TOKEN|Transfer-Encoding : chunked||0||",
  ],
  [
    "a request within the body of a GET",
    [200],
    "GET API/session HTTP/1.1|Host: HOST|Authorization: Bearer TOKEN|Content-Length: 31||GET /console/ HTTP/1.1|Host: x||",
  ],
  ["a tunnel", [], "CONNECT HOST HTTP/1.1|Host: HOST||"],
  ["an older protocol without a Host", [403], "GET API/session HTTP/1.0|Authorization: Bearer TOKEN||"],
] as const;

test.for(ambiguous)("a request is read in one way, or refused: %s", async ([, statuses, lines]) => {
  const world = await ConsoleWorld.open();
  const token = await world.openSession();
  const bytes = lines
    .replace("||", "|Connection: close||")
    .replaceAll("|", "\r\n")
    .replaceAll("API", consoleApi)
    .replaceAll("HOST", world.host)
    .replaceAll("TOKEN", token);
  const found = await sendBytes(world, bytes);
  expect(found).toHaveLength(Math.min(1, statuses.length));
  for (const status of found) expect(statuses).toContain(status);
});

test("a stranger that hangs up in the middle of a body fills no log", async () => {
  const world = await ConsoleWorld.open();
  const socket = connect(world.port, "127.0.0.1");
  socket.write(
    `POST ${consoleApi}/session HTTP/1.1\r\nHost: ${world.host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n{`,
  );
  await once(socket, "data");
  socket.destroy();
  await once(socket, "close");
  expect((await world.ask("GET", "/session")).status).toBe(401);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(world.errors).toEqual([]);
});
