// LangChain's MCP adapters, with an agent of LangChain's.
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";

const [url, command, ...args] = process.argv.slice(2);
const client = new MultiServerMCPClient({
  mcpServers: { haft: { transport: "stdio", command, args, env: process.env } },
});
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
try {
  const model = new ChatOpenAI({ model: "m", apiKey: "none", configuration: { baseURL: `${url}/v1` } });
  const agent = createAgent({ model, tools: await client.getTools() });
  await agent.invoke({ messages: [{ role: "user", content: "go" }] }, { signal: stop.signal });
} finally {
  await client.close();
}
