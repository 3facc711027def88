import { fileURLToPath } from "node:url";
import { createConnector, Processes } from "../../src/host/index.ts";
import { ToolRegistry } from "../../src/index.ts";
import { type ExecutorOptions, type Tool, ToolExecutor } from "../../src/kernel/index.ts";
import { McpConnections, type McpConnectionsOptions, type McpServerConfig } from "../../src/mcp/index.ts";
import type { ChaosOptions } from "../../src/testing/index.ts";
import { allowAll } from "./test-executor.ts";
// Loaded on demand by haft: tests with a clock of their own count turns, and not how long a module takes to load.
import "../../src/mcp/client/sdk.ts";

const chaosFile = fileURLToPath(new URL("../fixtures/mcp-client/chaos-stdio.ts", import.meta.url));

/** A chaos server that is a process. */
export function chaosOverStdio(
  options: ChaosOptions = {},
  config: Partial<McpServerConfig> = {},
): McpServerConfig {
  return { name: "chaos", command: process.execPath, args: [chaosFile, JSON.stringify(options)], ...config };
}

export interface OpenedMcp extends AsyncDisposable {
  readonly connections: McpConnections;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
}

/** Connections whose tools are in a registry, behind a gate that allows everything unless it is told otherwise. */
export function openMcp(
  options: Partial<McpConnectionsOptions> = {},
  executorOptions: ExecutorOptions = {},
): OpenedMcp {
  const processes = new Processes({ from: "direct" });
  const connector = createConnector();
  const registry = new ToolRegistry();
  let offered: readonly Tool[] = [];
  const connections = new McpConnections({
    processes,
    connector,
    environment: { childEnvironment: () => ({ PATH: process.env["PATH"] ?? "" }) },
    cwd: process.cwd(),
    random: () => 1,
    ...options,
    onTools: (tools) => {
      for (const { name } of offered) registry.unregister(name);
      offered = tools;
      registry.registerMany(tools);
      options.onTools?.(tools);
    },
  });
  const executor = new ToolExecutor(registry, { rules: allowAll, ...executorOptions });
  return {
    connections,
    registry,
    executor,
    async [Symbol.asyncDispose]() {
      await connections.disconnectAll();
      await processes.close();
      await connector.close();
    },
  };
}
