import type { IncomingMessage } from "node:http";
import * as http from "node:http";
import type { Duplex } from "node:stream";

/** Gets a request to speak another protocol, such as WebSocket, with its connection; `head` is what was sent already. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Answers an upgrade with an error and hangs up. */
export function refuseUpgrade(socket: Duplex, status: number, error: string): void {
  const body = JSON.stringify({ error });
  // The client may be gone already.
  socket.on("error", () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ""}`,
      "Connection: close",
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
    () => socket.destroy(),
  );
}
