import { createInterface } from "node:readline";

// An MCP server on stdio with as many tools as it is told to have: node odd-server.ts TOOLS
// It lists them 1,000 to a page, and answers no call.
interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly cursor?: string; readonly protocolVersion?: string };
}

const page = 1000;
const tools = Array.from({ length: Number(process.argv[2] ?? 1) }, (_, at) => ({
  name: `tool_${at}`,
  description: `Look up what is known of number ${at} in the books of department ${at % 97}, newest first.`,
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string", description: "Where to look." },
      limit: { type: "integer", minimum: 1, maximum: 1000 },
      recursive: { type: "boolean" },
    },
    required: ["path"],
  },
}));

function answerTo({ method, params = {} }: Message): object | undefined {
  if (method === "initialize") {
    return {
      protocolVersion: params.protocolVersion ?? "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "odd", version: "1.0.0" },
    };
  }
  if (method === "tools/call") return undefined;
  if (method !== "tools/list") return {};
  const from = Number(params.cursor ?? 0);
  const next = from + page < tools.length ? { nextCursor: String(from + page) } : {};
  return { tools: tools.slice(from, from + page), ...next };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as Message;
  const result = message.id === undefined ? undefined : answerTo(message);
  if (result !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n`);
});
