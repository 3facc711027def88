import { createServer } from "node:http";
import { ToolRegistry } from "../../src/index.ts";
import { defineTool, ToolExecutor } from "../../src/kernel/index.ts";
import { createHttpHandler, createMcpServer, serveStdio } from "../../src/server/mcp/index.ts";
import { echoJsonSchema } from "../kernel-floor.ts";
import { listen } from "./listen.ts";

// haft with its whole gate: validation, permission, limits, deadline, events, statistics.
const harmless = { annotations: { readOnly: true, openWorld: false } } as const;
const registry = new ToolRegistry();
registry.registerMany([
  defineTool({
    name: "echo",
    description: "Say it again.",
    parameters: echoJsonSchema,
    ...harmless,
    execute: ({ path, limit, recursive }) => `${path}:${limit}:${recursive}`,
  }),
  defineTool({
    name: "big",
    description: "Say much.",
    parameters: { type: "object", properties: { bytes: { type: "integer" } }, required: ["bytes"] },
    maxOutputChars: 100_000_000,
    ...harmless,
    execute: ({ bytes }) => "x".repeat(bytes),
  }),
]);
const executor = new ToolExecutor(registry);
executor.events.on(() => {});
const server = createMcpServer({ registry, executor, name: "bench", version: "1.0.0" });

if (process.argv[2] === "http") listen(createServer(createHttpHandler(server)));
else await serveStdio(server).closed;
