// The OpenAI Agents SDK, over the Responses API.
import { Agent, MCPServerStdio, run, setDefaultOpenAIClient, setTracingDisabled } from "@openai/agents";
import { OpenAI } from "openai";

const [url, command, ...args] = process.argv.slice(2);
setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI({ baseURL: `${url}/v1`, apiKey: "none" }));
const haft = new MCPServerStdio({
  name: "haft",
  command,
  args,
  env: process.env,
  clientSessionTimeoutSeconds: 3600,
  timeout: 3_600_000,
});
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
await haft.connect();
try {
  const agent = new Agent({ name: "driven", model: "scripted", mcpServers: [haft] });
  await run(agent, "go", { signal: stop.signal });
} finally {
  await haft.close();
}
