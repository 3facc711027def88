// An agent of the AI SDK with haft's tools, for the folder that it is started in. Each call goes through haft's gate: its
// rules, its sandbox and its ledger hold, and you are asked in this terminal. Ctrl-C stops the calls under way too.
//
//   MODEL_URL=http://127.0.0.1:11434/v1 MODEL=qwen3 node agent.ts "Which files are here?"
import { createInterface } from "node:readline/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, jsonSchema, type ModelMessage, type ToolModelMessage } from "ai";
import { toAISDK } from "haft/adapters";
import { createApp, Home } from "haft/app";

const {
  MODEL_URL: baseURL = "http://127.0.0.1:11434/v1",
  MODEL = "qwen3",
  MODEL_KEY,
  HAFT_HOME,
} = process.env;
const model = createOpenAICompatible({ name: "model", baseURL, ...(MODEL_KEY && { apiKey: MODEL_KEY }) })(
  MODEL,
);

await using app = await createApp({ folder: ".", home: new Home(HAFT_HOME) });
const tools = await toAISDK(app, { jsonSchema }, { answeredBy: "terminal:me" });

const terminal = createInterface({ input: process.stdin, output: process.stderr });
const interrupt = new AbortController();
const { signal: abortSignal } = interrupt;
for (const source of [process, terminal]) source.on("SIGINT", () => interrupt.abort());

const messages: ModelMessage[] = [{ role: "user", content: process.argv[2] ?? "Which files are here?" }];
try {
  for (;;) {
    const turn = await generateText({ model, tools, messages, abortSignal, stopWhen: isStepCount(50) });
    messages.push(...turn.responseMessages);
    const answers: ToolModelMessage["content"] = [];
    for (const part of turn.content) {
      if (part.type !== "tool-approval-request") continue;
      const { approvalId, toolCall } = part;
      const question = `${toolCall.toolName} ${JSON.stringify(toolCall.input)}? [y/N] `;
      const approved = (await terminal.question(question, { signal: abortSignal })) === "y";
      answers.push({ type: "tool-approval-response", approvalId, approved });
    }
    if (answers.length === 0) {
      console.log(turn.text);
      break;
    }
    messages.push({ role: "tool", content: answers });
  }
} catch (error) {
  if (!abortSignal.aborted) throw error;
  console.error("Stopped.");
  process.exitCode = 130;
} finally {
  terminal.close();
}
