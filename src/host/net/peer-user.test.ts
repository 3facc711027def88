import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { endianness } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { findPeerUser, findUserIn } from "./peer-user.ts";

/** Both ends of a connection within this process. */
async function openConnection(): Promise<{ readonly client: Socket; readonly server: Socket }> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const accepted = once(listener, "connection");
  const client = connect(port, "127.0.0.1");
  const [server] = (await accepted) as [Socket];
  onTestFinished(() => {
    client.destroy();
    server.destroy();
    listener.close();
  });
  return { client, server };
}

test("findPeerUser() knows whose program made a connection, and tells nothing where nobody can", async () => {
  const { server } = await openConnection();
  const known = process.platform === "linux" ? process.getuid?.() : undefined;
  expect(findPeerUser(server)).toBe(known);
  expect(findPeerUser({ ...pick(server), remotePort: 1 })).toBeUndefined();
  expect(findPeerUser({})).toBeUndefined();
  expect(findPeerUser({ ...pick(server), remoteAddress: "::1" })).toBeUndefined();
});

test("findUserIn() takes the line of the other end, of sockets for both versions too, and no other", () => {
  const [here, there] = endianness() === "LE" ? ["0100007F", "0200007F"] : ["7F000001", "7F000002"];
  const line = (from: string, to: string, user: number) =>
    `   0: ${from} ${to} 01 00000000:00000000 00:00000000 00000000  ${user}        0 12345 1 0000000000000000`;
  const ends = { remoteAddress: "127.0.0.1", remotePort: 40000, localAddress: "127.0.0.1", localPort: 4280 };
  const [other, own] = [`${here}:9C40`, `${here}:10B8`];
  const strangers = [line(own, other, 1), line(`${there}:9C40`, own, 2), line(other, `${there}:10B8`, 3)];
  expect(findUserIn(strangers.join("\n"), ends)).toBeUndefined();
  expect(findUserIn([...strangers, line(other, own, 1000)].join("\n"), ends)).toBe(1000);
  const mapped = "0000000000000000FFFF0000";
  expect(findUserIn(line(`${mapped}${other}`, `${mapped}${own}`, 1001), ends)).toBe(1001);
  expect(findUserIn(line(other, own, 7), { ...ends, remoteAddress: "::ffff:127.0.0.1" })).toBe(7);
});

function pick({ remoteAddress, remotePort, localAddress, localPort }: Socket) {
  return { remoteAddress, remotePort, localAddress, localPort };
}
