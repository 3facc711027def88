import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { createCertificate } from "../../../../test/support/certificate.ts";
import { connectContext, openTestConnector } from "../../../../test/support/connect.ts";

async function listenByTls(name: string): Promise<{ port: number; cert: string }> {
  const { key, cert } = createCertificate(name);
  const server = createServer({ key, cert }, (request, response) => {
    const { servername } = request.socket as unknown as { servername: string };
    response.setHeader("content-type", "text/plain").end(`${servername} ${request.headers.host}`);
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return { port: (server.address() as AddressInfo).port, cert };
}

function trust(cert: string): void {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => setDefaultCACertificates(before));
}

test("Connector.request() checks a certificate against the name, and dials the address it resolved to", async () => {
  const { port, cert } = await listenByTls("tls.internal");
  trust(cert);
  const connector = openTestConnector({ resolve: async () => ["127.0.0.1"] });
  const context = connectContext({ allowedHosts: ["tls.internal", "other.internal"] });
  const answer = await connector.request({ url: `https://tls.internal:${port}/` }, context);
  expect(new TextDecoder().decode(answer.body)).toBe(`tls.internal tls.internal:${port}`);
  await expect(connector.request({ url: `https://other.internal:${port}/` }, context)).rejects.toMatchObject({
    code: "CONNECT_FAILED",
    message: `Cannot get "https://other.internal:${port}/": its certificate is for another name; use the name it is for`,
  });
});

test("Connector.request() refuses a certificate that nobody vouches for, and says what it is", async () => {
  const { port } = await listenByTls("tls.internal");
  const connector = openTestConnector({ resolve: async () => ["127.0.0.1"] });
  const context = connectContext({ allowedHosts: ["tls.internal"] });
  await expect(connector.request({ url: `https://tls.internal:${port}/` }, context)).rejects.toMatchObject({
    code: "CONNECT_FAILED",
    details: { reason: "DEPTH_ZERO_SELF_SIGNED_CERT" },
  });
});
