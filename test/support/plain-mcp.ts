import type { ServerResponse } from "node:http";

const tool = { name: "who", description: "Says who asks.", inputSchema: { type: "object", properties: {} } };

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "plain", version: "1" },
  },
  "tools/list": { tools: [tool] },
  "tools/call": { content: [{ type: "text", text: "somebody with a token" }] },
  ping: {},
};

/** The least that a server over HTTP of 2025-11-25 can say. */
export function answerMcp(body: string, response: ServerResponse): void {
  if (body === "") return void response.writeHead(405).end();
  const { id, method } = JSON.parse(body) as { id?: number | string; method: string };
  if (id === undefined) return void response.writeHead(202).end();
  const result = results[method];
  const answer =
    result === undefined ? { error: { code: -32_601, message: "There is no such method" } } : { result };
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}
