import { type McpServerOptions, ServerCore } from "./core.ts";
import type { McpServer } from "./mcp-server.ts";

/**
 * Offers the tools of a registry, and resources and prompts where there are any, to MCP clients of every revision
 * from 2024-11-05 to 2026-07-28. Each call of a tool goes through the executor, with the peer in its origin.
 *
 * @example
 * const server = createMcpServer({ registry, executor, name: "my-tools", version: "1.0.0" });
 * await serveStdio(server).closed;
 */
export function createMcpServer(options: McpServerOptions): McpServer {
  const core = new ServerCore(options);
  const server: McpServer = {
    name: options.name,
    version: options.version,
    close: () => core.close(),
  };
  cores.set(server, core);
  return server;
}

const cores = new WeakMap<McpServer, ServerCore>();

export function getCore(server: McpServer): ServerCore {
  const core = cores.get(server);
  if (core === undefined) throw new TypeError("Cannot serve this: it was not made by createMcpServer");
  return core;
}
