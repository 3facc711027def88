import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { builtInRules } from "../../src/app/policy/rules-in-force.ts";
import type * as Haft from "../../src/index.ts";
import type * as Store from "../../src/public/store.ts";
import type * as Mcp from "../../src/server/mcp/index.ts";
import { echoJsonSchema } from "../kernel-floor.ts";
import { importInstalled, openProgram } from "../program.ts";
import { listen } from "./listen.ts";

// The installed package with what an installation has: the whole gate, the rules, a ledger on the disk, secrets that are taken out.
const { createRedactor, defineTool, ToolExecutor, ToolRegistry } = await importInstalled<typeof Haft>("haft");
const { openStore } = await importInstalled<typeof Store>("haft/store");
const { createHttpHandler, createMcpServer, serveStdio } =
  await importInstalled<typeof Mcp>("haft/server/mcp");
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
const store = await openStore({ path: join(mkdtempSync(join(openProgram().folder, "mcp-")), "haft.db") });
const secrets = new Map(Array.from({ length: 20 }, (_, at) => [`NAME_${at}`, `s3cret-value-number-${at}-x`]));
const executor = new ToolExecutor(registry, {
  rules: builtInRules([]),
  ledger: store.ledger,
  redact: createRedactor(secrets),
});
executor.events.on(() => {});
const server = createMcpServer({ registry, executor, name: "bench", version: "1.0.0" });

if (process.argv[2] === "http") listen(createServer(createHttpHandler(server)));
else await serveStdio(server).closed;
