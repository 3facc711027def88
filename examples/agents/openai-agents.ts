// The OpenAI Agents SDK with haft's tools. The model is scripted: it reads a picture, then writes a file outside the project.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Agent, type Model, type ModelRequest, Runner, setTracingDisabled, Usage } from "@openai/agents-core";
import { toOpenAIAgents } from "haft/adapters";
import { openProject } from "./project.ts";

await using project = await openProject();
const { app, outside } = project;
setTracingDisabled(true);
const call = (callId: string, name: string, args: object) => ({
  type: "function_call" as const,
  callId,
  name,
  arguments: JSON.stringify(args),
  status: "completed" as const,
});
const say = (text: string) => ({
  type: "message" as const,
  role: "assistant" as const,
  status: "completed" as const,
  content: [{ type: "output_text" as const, text }],
});
const asked: ModelRequest[] = [];
const model = scripted([
  call("call-1", "read", { path: "dot.png" }),
  call("call-2", "write", { path: outside, content: "The dot is red.\n" }),
  say("I have written the report."),
]);

const tools = await toOpenAIAgents(app, { tools: ["read", "write"], answeredBy: "app:ada" });
const agent = new Agent({ name: "Helper", model, tools });
const runner = new Runner();
let result = await runner.run(agent, "Write a report on dot.png.");

// The picture went to the model as a picture; the call that haft asks about interrupts the run.
assert.match(JSON.stringify(asked[1]?.input), /"type":"input_image"|"type":"image"/);
assert.equal(result.interruptions.length, 1, "writing outside the project asks");
for (const interruption of result.interruptions) result.state.approve(interruption);
result = await runner.run(agent, result.state);

assert.equal(readFileSync(outside, "utf8"), "The dot is red.\n");
const [written] = await (await app.store()).ledger.list({ tool: "write" });
assert.equal(written?.decision?.by, "person:app:ada");
console.log(result.finalOutput);

function scripted(steps: readonly (ReturnType<typeof say> | ReturnType<typeof call>)[]): Model {
  return {
    async getResponse(request) {
      asked.push(request);
      const step = steps[asked.length - 1];
      return { usage: new Usage(), output: step === undefined ? [] : [step] };
    },
    // biome-ignore lint/correctness/useYield: the example does not stream
    async *getStreamedResponse() {
      throw new Error("the example does not stream");
    },
  };
}
