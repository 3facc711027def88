import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface LoopbackServer {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  /** `127.0.0.1:PORT`, as `allowedHosts` takes it. */
  readonly host: string;
  readonly port: number;
}

/** A real HTTP server on loopback that is gone when the test is over. */
export async function listenOnLoopback(
  handler: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    void handler(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, port };
}
