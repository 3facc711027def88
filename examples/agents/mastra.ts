// Mastra with haft's tools. The model is scripted: it reads a picture, then writes a file outside the project.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { toMastra } from "haft/adapters";
import { openProject } from "./project.ts";

await using project = await openProject();
const { app, outside } = project;
const call = (toolCallId: string, toolName: string, input: object) => ({
  type: "tool-call" as const,
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});
const model = scripted([
  call("call-1", "read", { path: "dot.png" }),
  call("call-2", "write", { path: outside, content: "The dot is red.\n" }),
  "I have written the report.",
]);

const tools = await toMastra(app, { createTool }, { tools: ["read", "write"], answeredBy: "app:ada" });
const helper = new Agent({
  id: "helper",
  name: "Helper",
  instructions: "Help.",
  model: model as unknown as MastraModelConfig,
  tools,
});
const mastra = new Mastra({ agents: { helper }, storage: new InMemoryStore(), logger: false });
const agent = mastra.getAgent("helper");
const first = await agent.stream("Write a report on dot.png.");

// The call that haft asks about waits for the person; the picture went to the model as a picture.
let toolCallId: string | undefined;
for await (const chunk of first.fullStream)
  if (chunk.type === "tool-call-approval") toolCallId = chunk.payload.toolCallId;
assert.equal(toolCallId, "call-2", "writing outside the project asks");
assert.match(JSON.stringify(model.doStreamCalls[1]?.prompt), /image\/png/);
const second = await agent.approveToolCall({ runId: first.runId, toolCallId });

const answer = await second.text;
assert.equal(readFileSync(outside, "utf8"), "The dot is red.\n");
const [written] = await (await app.store()).ledger.list({ tool: "write" });
assert.equal(written?.decision?.by, "person:app:ada");
console.log(answer);

function scripted(steps: readonly (string | ReturnType<typeof call>)[]) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return new MockLanguageModelV3({
    doStream: steps.map((step) => ({
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start" as const, warnings: [] },
          ...(typeof step === "string"
            ? [
                { type: "text-start" as const, id: "1" },
                { type: "text-delta" as const, id: "1", delta: step },
                { type: "text-end" as const, id: "1" },
              ]
            : [step]),
          {
            type: "finish" as const,
            finishReason: {
              unified: typeof step === "string" ? ("stop" as const) : ("tool-calls" as const),
              raw: undefined,
            },
            usage,
          },
        ],
      }),
    })),
  });
}
