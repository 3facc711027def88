// An agent of LangChain with haft's tools, for the folder that it is started in. Each call goes through haft's gate: its
// rules, its sandbox and its ledger hold, and you are asked in this terminal. Ctrl-C stops the calls under way too.
//
//   MODEL_URL=http://127.0.0.1:11434/v1 MODEL=qwen3 node langchain.ts "Which files are here?"
import { createInterface } from "node:readline/promises";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { type HumanRequest, toLangChain } from "haft/adapters";
import { createApp, Home } from "haft/app";
import { createAgent, HumanMessage, ToolMessage, tool } from "langchain";

const {
  MODEL_URL = "http://127.0.0.1:11434/v1",
  MODEL = "qwen3",
  MODEL_KEY = "none",
  HAFT_HOME,
} = process.env;
const model = new ChatOpenAI({ model: MODEL, apiKey: MODEL_KEY, configuration: { baseURL: MODEL_URL } });

await using app = await createApp({ folder: ".", home: new Home(HAFT_HOME) });
const tools = await toLangChain(app, { tool, interrupt, ToolMessage }, { answeredBy: "terminal:me" });
const agent = createAgent({ model, tools, checkpointer: new MemorySaver() });

const terminal = createInterface({ input: process.stdin, output: process.stderr });
const stop = new AbortController();
const { signal } = stop;
for (const source of [process, terminal]) source.on("SIGINT", () => stop.abort());

const thread = { configurable: { thread_id: "1" }, signal, recursionLimit: 100 };
try {
  const message = new HumanMessage(process.argv[2] ?? "Which files are here?");
  let state = await agent.invoke({ messages: [message] }, thread);
  while (state.__interrupt__ !== undefined && state.__interrupt__.length > 0) {
    // Calls side by side wait for an answer each.
    const resume: Record<string, { decisions: { type: "approve" | "reject" }[] }> = {};
    for (const { id = "", value } of state.__interrupt__) {
      const asked = (value as HumanRequest).actionRequests[0];
      const question = `${asked?.name} ${JSON.stringify(asked?.args)}? [y/N] `;
      const approved = (await terminal.question(question, { signal })) === "y";
      resume[id] = { decisions: [{ type: approved ? "approve" : "reject" }] };
    }
    state = await agent.invoke(new Command({ resume }), thread);
  }
  console.log(state.messages.at(-1)?.text);
} catch (error) {
  if (!signal.aborted) throw error;
  console.error("Stopped.");
  process.exitCode = 130;
} finally {
  terminal.close();
}
