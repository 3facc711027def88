// An MCP server that only says what another one said it could do: `node replay-server.ts NAME`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { RecordedServer } from "./recording.ts";

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "recorded.json"), "utf8"),
) as readonly RecordedServer[];
const server = recorded.find(({ name }) => name === process.argv[2]);
if (server === undefined) throw new Error(`recorded.json has no server "${process.argv[2]}"`);

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: server.package, version: server.version },
    instructions: server.about,
  },
  "tools/list": { tools: server.tools },
  ping: {},
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line) as { readonly id?: number | string; readonly method: string };
  if (id === undefined) continue;
  const result = results[method];
  const answer =
    result === undefined ? { error: { code: -32_601, message: "There is no such method" } } : { result };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}
