// LangChain with haft's tools. The model is scripted: it reads a picture, then writes a file outside the project.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { toLangChain } from "haft/adapters";
import { AIMessage, createAgent, fakeModel, ToolMessage, tool } from "langchain";
import { openProject } from "./project.ts";

await using project = await openProject();
const { app, outside } = project;
const call = (id: string, name: string, args: Record<string, unknown>) =>
  new AIMessage({ content: "", tool_calls: [{ id, name, args, type: "tool_call" }] });
const model = fakeModel()
  .respond(call("call-1", "read", { path: "dot.png" }))
  .respond(call("call-2", "write", { path: outside, content: "The dot is red.\n" }))
  .respond(new AIMessage("I have written the report."));

const parts = { tool, interrupt, ToolMessage };
const tools = await toLangChain(app, parts, { tools: ["read", "write"], answeredBy: "app:ada" });
const agent = createAgent({ model, tools, checkpointer: new MemorySaver() });
const thread = { configurable: { thread_id: "1" } };
const first = await agent.invoke({ messages: "Write a report on dot.png." }, thread);

// The picture went to the model as a picture; the call that haft asks about interrupts the graph.
const picture = first.messages.find((message) => message instanceof ToolMessage);
assert.match(JSON.stringify(picture?.content), /data:image\/png;base64,/);
const interrupts = first.__interrupt__ ?? [];
assert.equal(interrupts.length, 1, "writing outside the project asks");
const resume = { decisions: [{ type: "approve" }] };
const second = await agent.invoke(new Command({ resume }), thread);

assert.equal(readFileSync(outside, "utf8"), "The dot is red.\n");
const [written] = await (await app.store()).ledger.list({ tool: "write" });
assert.equal(written?.decision?.by, "person:app:ada");
console.log(second.messages.at(-1)?.content);
