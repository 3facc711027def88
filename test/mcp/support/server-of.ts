import { ToolRegistry } from "../../../src/index.ts";
import { type ExecutorOptions, type Tool, type ToolEvent, ToolExecutor } from "../../../src/kernel/index.ts";
import { createMcpServer, type McpServer, type McpServerOptions } from "../../../src/server/mcp/index.ts";

export interface TestServer {
  readonly server: McpServer;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly events: readonly ToolEvent[];
  /** What the server told its `onError`. */
  readonly errors: readonly unknown[];
}

export interface TestServerOptions {
  readonly executor?: ExecutorOptions;
  readonly server?: Partial<McpServerOptions>;
}

export function startServer(tools: readonly Tool[], options: TestServerOptions = {}): TestServer {
  const registry = new ToolRegistry();
  registry.registerMany(tools);
  const executor = new ToolExecutor(registry, options.executor);
  const events: ToolEvent[] = [];
  executor.events.on((event) => events.push(event));
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const server = createMcpServer({
    registry,
    executor,
    name: "test",
    version: "1.0.0",
    onError,
    // The clients of most tests answer at once, for the person that they stand for.
    readingMs: 0,
    ...options.server,
  });
  return { server, registry, executor, events, errors };
}
