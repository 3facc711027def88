// A client of stdio, which reaches haft over HTTP through mcp-remote: lists the tools, or calls one.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [request, command, ...args] = process.argv.slice(2);
const call = JSON.parse(request);
const client = new Client({ name: "driven", version: "1" });
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
try {
  const done =
    call.name === undefined
      ? await client.listTools()
      : await client.callTool(call, undefined, { signal: stop.signal, timeout: 3_600_000 });
  console.log(JSON.stringify(done));
} finally {
  // What ends at once takes the word of the cancelled call with it.
  if (stop.signal.aborted) await client.ping();
  await client.close();
}
