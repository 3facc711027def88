// The AI SDK with haft's tools. The model is scripted: it reads a picture, then writes a file outside the project.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { generateText, isStepCount, jsonSchema, type ModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { toAISDK } from "haft/adapters";
import { openProject } from "./project.ts";

await using project = await openProject();
const { app, outside } = project;
const say = (text: string) => ({ type: "text" as const, text });
const call = (toolCallId: string, toolName: string, input: object) => ({
  type: "tool-call" as const,
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});
const model = scripted([
  call("call-1", "read", { path: "dot.png" }),
  call("call-2", "write", { path: outside, content: "The dot is red.\n" }),
  say("I have written the report."),
]);

const tools = await toAISDK(app, { jsonSchema }, { tools: ["read", "write"], answeredBy: "app:ada" });
const messages: ModelMessage[] = [{ role: "user", content: "Write a report on dot.png." }];
const first = await generateText({ model, tools, messages, stopWhen: isStepCount(5) });

// The picture went to the model as a picture; the call that haft asks about waits for the person.
const shown = JSON.stringify(model.doGenerateCalls[1]?.prompt);
assert.match(shown, /image\/png/);
const request = first.content.find((part) => part.type === "tool-approval-request");
assert.ok(request, "writing outside the project asks");
messages.push(...first.response.messages, {
  role: "tool",
  content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: true }],
});
const second = await generateText({ model, tools, messages, stopWhen: isStepCount(5) });

assert.equal(readFileSync(outside, "utf8"), "The dot is red.\n");
const [written] = await (await app.store()).ledger.list({ tool: "write" });
assert.equal(written?.decision?.by, "person:app:ada");
console.log(second.text);

function scripted(steps: readonly (ReturnType<typeof say> | ReturnType<typeof call>)[]) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return new MockLanguageModelV4({
    doGenerate: steps.map((step) => ({
      content: [step],
      finishReason: {
        unified: step.type === "text" ? ("stop" as const) : ("tool-calls" as const),
        raw: undefined,
      },
      usage,
      warnings: [],
    })),
  });
}
