// An agent of the OpenAI Agents SDK with haft's tools, for the folder that it is started in. Each call goes through haft's
// gate: its rules, its sandbox and its ledger hold, and you are asked in this terminal. Ctrl-C stops the calls under way too.
//
//   MODEL_URL=http://127.0.0.1:11434/v1 MODEL=qwen3 node openai-agents.ts "Which files are here?"
import { createInterface } from "node:readline/promises";
import { Agent, Runner, setTracingDisabled } from "@openai/agents-core";
import { OpenAIProvider } from "@openai/agents-openai";
import { toOpenAIAgents } from "haft/adapters";
import { createApp, Home } from "haft/app";

const {
  MODEL_URL = "http://127.0.0.1:11434/v1",
  MODEL = "qwen3",
  MODEL_KEY = "none",
  HAFT_HOME,
} = process.env;
const modelProvider = new OpenAIProvider({ baseURL: MODEL_URL, apiKey: MODEL_KEY, useResponses: false });
setTracingDisabled(true); // Traces would be sent to OpenAI.

await using app = await createApp({ folder: ".", home: new Home(HAFT_HOME) });
const tools = await toOpenAIAgents(app, { answeredBy: "terminal:me" });
const agent = new Agent({ name: "Helper", model: MODEL, tools });
const runner = new Runner({ modelProvider });

const terminal = createInterface({ input: process.stdin, output: process.stderr });
const interrupt = new AbortController();
const { signal } = interrupt;
for (const source of [process, terminal]) source.on("SIGINT", () => interrupt.abort());

try {
  let result = await runner.run(agent, process.argv[2] ?? "Which files are here?", { signal, maxTurns: 50 });
  while (result.interruptions.length > 0) {
    for (const interruption of result.interruptions) {
      const question = `${interruption.name} ${interruption.arguments}? [y/N] `;
      const approved = (await terminal.question(question, { signal })) === "y";
      if (approved) result.state.approve(interruption);
      else result.state.reject(interruption);
    }
    result = await runner.run(agent, result.state, { signal });
  }
  console.log(result.finalOutput);
} catch (error) {
  if (!signal.aborted) throw error;
  console.error("Stopped.");
  process.exitCode = 130;
} finally {
  terminal.close();
}
