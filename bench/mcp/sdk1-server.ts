import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";
import { listen } from "./listen.ts";

// The official SDK v1 as its documentation has it, with the same tools and nothing in front of them.
function create(): McpServer {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool(
    "echo",
    {
      description: "Say it again.",
      inputSchema: {
        path: z.string().min(1),
        limit: z.number().int().min(1).max(1000),
        recursive: z.boolean(),
      },
    },
    async ({ path, limit, recursive }) => ({
      content: [{ type: "text", text: `${path}:${limit}:${recursive}` }],
    }),
  );
  server.registerTool(
    "big",
    { description: "Say much.", inputSchema: { bytes: z.number().int() } },
    async ({ bytes }) => ({ content: [{ type: "text", text: "x".repeat(bytes) }] }),
  );
  return server;
}

if (process.argv[2] === "stdio") await create().connect(new StdioServerTransport());
else {
  const stateless = process.argv[2] === "stateless";
  const transports = new Map<string, StreamableHTTPServerTransport>();
  listen(
    // oxlint-disable-next-line typescript/no-misused-promises -- as the SDK's documentation has it
    createServer(async (request, response) => {
      const known = transports.get(String(request.headers["mcp-session-id"]));
      if (known !== undefined) {
        await known.handleRequest(request, response);
        return;
      }
      const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
        ...(stateless
          ? { sessionIdGenerator: undefined }
          : {
              sessionIdGenerator: () => randomUUID(),
              onsessioninitialized: (id: string) => void transports.set(id, transport),
            }),
        enableJsonResponse: true,
      } as ConstructorParameters<typeof StreamableHTTPServerTransport>[0]);
      // The SDK's own types disagree under exactOptionalPropertyTypes.
      await create().connect(transport as Transport);
      await transport.handleRequest(request, response);
    }),
  );
}
