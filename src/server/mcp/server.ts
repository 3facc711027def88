import { type McpServerOptions, ServerCore } from "./core.ts";
import type { McpServer } from "./mcp-server.ts";

/**
 * Offers the tools of a registry, and resources and prompts where there are any, to MCP clients of every revision
 * from 2024-11-05 to 2026-07-28. Each call of a tool goes through the executor, with the peer in its origin.
 *
 * @example
 * ```ts
 * import { PassThrough } from "node:stream";
 * const registry = new ToolRegistry();
 * const server = createMcpServer({
 *   registry,
 *   executor: new ToolExecutor(registry),
 *   name: "my-tools",
 *   version: "1.0.0",
 * });
 * const [input, output] = [new PassThrough(), new PassThrough()];
 * const { closed } = serveStdio(server, { streams: { input, output } });
 * input.end('{ "jsonrpc": "2.0", "id": 1, "method": "ping" }\n');
 * await closed;
 * JSON.parse(String(output.read())).id; // → 1
 * ```
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
