// Mastra's MCP client, with an agent of Mastra's.
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";

const [url, command, ...args] = process.argv.slice(2);
const client = new MCPClient({ servers: { haft: { command, args, env: process.env, timeout: 3_600_000 } } });
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
try {
  const agent = new Agent({
    name: "driven",
    instructions: "Use the tools.",
    model: { id: "scripted/m", url: `${url}/v1`, apiKey: "none" },
    tools: await client.getTools(),
  });
  await agent.generate("go", { maxSteps: 9, abortSignal: stop.signal });
} finally {
  await client.disconnect();
}
