import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { ThinClient } from "./thin-client.ts";

/** A thin client of the transport of 2024-11-05: one stream of events for all answers, a request for each message. */
export async function connectSse(url: string): Promise<ThinClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const opening = httpRequest(url, { headers: { accept: "text/event-stream" } });
  opening.end();
  const [stream] = (await once(opening, "response")) as [IncomingMessage];
  const waiting = new Map<number, (text: string) => void>();
  const endpoint = Promise.withResolvers<string>();
  let rest = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    const events = (rest + chunk).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = /^data: ?(.*)$/m.exec(event)?.[1] ?? "";
      if (event.includes("event: endpoint")) endpoint.resolve(new URL(data, url).href);
      else if (data !== "") take(data);
    }
  });
  const take = (text: string) => {
    const { id } = JSON.parse(text) as { id: number };
    waiting.get(id)?.(text);
    waiting.delete(id);
  };
  // One that still starts may take the connection and never say where to.
  const late = setTimeout(() => endpoint.reject(new Error("it gave no endpoint in time")), 2000);
  const address = await endpoint.promise.finally(() => clearTimeout(late));
  const post = (message: object, failed?: (error: Error) => void) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const outgoing = httpRequest(address, { agent, method: "POST", headers }, (response) =>
      response.resume(),
    );
    outgoing.on("error", (error) => failed?.(error)).end(body);
  };
  let count = 0;
  const call = (method: string, params: Record<string, unknown>) =>
    new Promise<string>((resolve, reject) => {
      const id = ++count;
      waiting.set(id, resolve);
      post({ id, method, params }, reject);
    });
  await call("initialize", {
    protocolVersion: "2024-11-05",
    capabilities: {},
    clientInfo: { name: "thin", version: "1.0.0" },
  });
  post({ method: "notifications/initialized" });
  return {
    call,
    close: async () => {
      stream.destroy();
      agent.destroy();
    },
  };
}
