// The AI SDK: a loop of calls, with haft's tools alone.
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs } from "ai";

const [url, command, ...args] = process.argv.slice(2);
const client = await createMCPClient({ transport: new StdioTransport({ command, args, env: process.env }) });
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
try {
  const scripted = createOpenAICompatible({ name: "scripted", baseURL: `${url}/v1`, apiKey: "none" });
  const tools = await client.tools();
  await generateText({
    model: scripted.chatModel("m"),
    tools,
    prompt: "go",
    stopWhen: stepCountIs(9),
    abortSignal: stop.signal,
  });
} finally {
  await client.close();
}
