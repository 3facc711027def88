import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { listen } from "./listen.ts";

// The official SDK v2 as its documentation has it, with the same tools and nothing in front of them.
function create(): McpServer {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool(
    "echo",
    {
      description: "Say it again.",
      inputSchema: z.object({
        path: z.string().min(1),
        limit: z.number().int().min(1).max(1000),
        recursive: z.boolean(),
      }),
    },
    async ({ path, limit, recursive }) => ({
      content: [{ type: "text", text: `${path}:${limit}:${recursive}` }],
    }),
  );
  server.registerTool(
    "big",
    { description: "Say much.", inputSchema: z.object({ bytes: z.number().int() }) },
    async ({ bytes }) => ({ content: [{ type: "text", text: "x".repeat(bytes) }] }),
  );
  return server;
}

if (process.argv[2] === "stdio") serveStdio(() => create());
else if (process.argv[2] === "stateless") {
  const handler = toNodeHandler(createMcpHandler(() => create()));
  // The SDK's own types disagree with Node's under exactOptionalPropertyTypes.
  listen(
    createServer((request, response) => void handler(request as Parameters<typeof handler>[0], response)),
  );
} else {
  const transports = new Map<string, NodeStreamableHTTPServerTransport>();
  listen(
    // oxlint-disable-next-line typescript/no-misused-promises -- as the SDK's documentation has it
    createServer(async (request, response) => {
      const known = transports.get(String(request.headers["mcp-session-id"]));
      if (known !== undefined) {
        await known.handleRequest(request, response);
        return;
      }
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        enableJsonResponse: true,
        onsessioninitialized: (id) => void transports.set(id, transport),
      });
      await create().connect(transport);
      await transport.handleRequest(request, response);
    }),
  );
}
