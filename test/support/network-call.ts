import { onTestFinished } from "vitest";
import { type ConnectorOptions, createConnector } from "../../src/host/index.ts";
import { type CallContext, ToolExecutor, ToolRegistry, type ToolResult } from "../../src/kernel/index.ts";
import { type NetworkOptions, networkTools } from "../../src/modules/web/index.ts";

/** Calls network tools through the whole gate, with the default rules and nobody to ask. */
export function openNetworkCalls(
  options: NetworkOptions = {},
  connectorOptions: ConnectorOptions = {},
): (name: string, params: unknown, context?: CallContext) => Promise<ToolResult> {
  const connector = createConnector({ connectTimeoutMs: 20_000, ...connectorOptions });
  onTestFinished(() => connector.close());
  const registry = new ToolRegistry();
  registry.registerMany(networkTools({ connector, options }));
  const executor = new ToolExecutor(registry, { maxOutputChars: 10_000_000 });
  return (name, params, context) => executor.execute(name, params, context);
}
