import { existsSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type AdapterOptions,
  type HumanRequest,
  toAISDK,
  toLangChain,
  toMastra,
  toOpenAIAgents,
} from "../src/adapters/index.ts";
import type { App } from "../src/app/index.ts";
import { defineTool, type JsonSchema, ToolContent } from "../src/kernel/index.ts";
import { Installation } from "./support/installation.ts";

let place: Installation;
let app: App;

beforeEach(async () => {
  place = new Installation();
  ({ app } = await place.open());
});
afterEach(() => app.close());

const options: AdapterOptions = { tools: ["read", "write", "picture", "slow"], answeredBy: "app:ada" };
const jsonSchema = (schema: never): JsonSchema => schema;
const outside = () => join(place.folder, "..", "outside.txt");
const write = () => ({ path: outside(), content: "new" });

async function decisions(tool = "write"): Promise<readonly (string | undefined)[]> {
  const calls = await (await app.store()).ledger.list({ tool });
  return calls.map(({ decision, state }) => `${state} ${decision?.by}`);
}

const picture = defineTool({
  name: "picture",
  description: "Gives a picture.",
  parameters: { type: "object" },
  annotations: { readOnly: true, openWorld: false },
  execute: () =>
    new ToolContent([
      { type: "text", text: "A dot." },
      { type: "image", data: "iVBORw0=", mimeType: "image/png" },
      { type: "resource_link", uri: "file:///dot.png", name: "dot" },
    ]),
});

/** Puts something out, then runs until it is stopped. */
const slow = defineTool({
  name: "slow",
  description: "Waits.",
  parameters: { type: "object", properties: { forever: { type: "boolean" } } },
  annotations: { readOnly: true, openWorld: false },
  execute: async ({ forever }, { progress, output, signal }) => {
    progress(1, 2, "half");
    output("some");
    if (forever === true) await new Promise((_, reject) => signal.addEventListener("abort", reject));
    return "all";
  },
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("toAISDK()", () => {
  const open = async (more?: AdapterOptions) => toAISDK(app, { jsonSchema }, { ...options, ...more });
  const run = async (name: string, args: unknown, toolCallId = "call-1", abortSignal?: AbortSignal) => {
    const tool = (await open())[name];
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return collect(tool.execute(args, { toolCallId, abortSignal }));
  };

  test("offers the tools that were named, with their descriptions and schemas", async () => {
    const tools = await open({ tools: ["read", "gr*"] });
    expect(Object.keys(tools).sort()).toEqual(["grep", "read"]);
    expect(tools["read"]?.description).toContain("Read a file");
    expect(tools["read"]?.inputSchema).toMatchObject({ type: "object", required: ["path"] });
  });

  test("offers every tool but those that find tools, unless they are named", async () => {
    const tools = Object.keys(await toAISDK(app, { jsonSchema }));
    expect(tools).toContain("bash");
    expect(tools).not.toContain("call_tool");
    expect(Object.keys(await open({ tools: ["call_tool"] }))).toEqual(["call_tool"]);
  });

  test("lets no call reach a tool that was not named", async () => {
    const tools = await open({ tools: ["call_tool", "read"] });
    const call = { name: "write", arguments: { path: "a.txt", content: "" } };
    const tool = tools["call_tool"];
    if (tool === undefined) throw new Error("no tool call_tool");
    const made = collect(tool.execute(call, { toolCallId: "1" }));
    await expect(made).rejects.toMatchObject({ code: "TOOL_NOT_CALLABLE" });
    expect(existsSync(join(place.folder, "a.txt"))).toBe(false);
  });

  test("needs no approval for what haft allows, nor for a call that fails anyway", async () => {
    const { write } = await open();
    const asks = (args: unknown) => write?.needsApproval(args, { toolCallId: "1" });
    expect(await asks({ path: "inside.txt", content: "" })).toBe(false);
    expect(await asks({ content: "" })).toBe(false);
  });

  test("takes the approval that comes back as a person's answer to exactly that call", async () => {
    const { write: tool } = await open();
    expect(await tool?.needsApproval(write(), { toolCallId: "call-7" })).toBe(true);
    if (tool === undefined) return;
    await collect(tool.execute(write(), { toolCallId: "call-7" }));
    expect(readFileSync(outside(), "utf8")).toBe("new");
    expect(await decisions()).toEqual(["completed person:app:ada"]);
    const { approvals } = await app.store();
    expect(await approvals.list({ state: "used" })).toHaveLength(1);
  });

  test("refuses a call that nobody was asked about, and keeps the question", async () => {
    await expect(run("write", write())).rejects.toMatchObject({
      code: "TOOL_PERMISSION",
      message: expect.stringContaining("ai-sdk asked nobody about this call"),
    });
    expect(existsSync(outside())).toBe(false);
    const { approvals } = await app.store();
    expect(await approvals.list({ state: "pending" })).toHaveLength(1);
  });

  test("does not take the approval for other arguments, for another file or twice", async () => {
    const { write: tool } = await open();
    if (tool === undefined) return;
    const execute = (args: unknown) => collect(tool.execute(args, { toolCallId: "call-1" }));
    const asked = await tool.needsApproval(write(), { toolCallId: "call-1" });
    expect(asked).toBe(true);
    const changed = { ...write(), content: "other" };
    await expect(execute(changed)).rejects.toThrow("something other than what was approved");

    const folder = join(place.folder, "..", "shown");
    place.write("shown/report.txt", "");
    const through = { path: join(folder, "made.txt"), content: "new" };
    expect(await tool.needsApproval(through, { toolCallId: "call-2" })).toBe(true);
    renameSync(folder, `${folder}-moved`);
    symlinkSync(`${folder}-moved`, folder);
    const later = collect(tool.execute(through, { toolCallId: "call-2" }));
    await expect(later).rejects.toThrow("something other than what was approved");

    expect(await tool.needsApproval(write(), { toolCallId: "call-3" })).toBe(true);
    await collect(tool.execute(write(), { toolCallId: "call-3" }));
    const again = { ...write(), content: "newer" };
    await expect(collect(tool.execute(again, { toolCallId: "call-3" }))).rejects.toThrow("asked nobody");
  });

  test("takes the approval for what was asked about first where the framework asks again", async () => {
    const { write: tool } = await open();
    if (tool === undefined) return;
    const folder = join(place.folder, "..", "shown");
    place.write("shown/report.txt", "");
    const through = { path: join(folder, "made.txt"), content: "new" };
    const asks = () => tool.needsApproval(through, { toolCallId: "call-1" });
    const execute = () => collect(tool.execute(through, { toolCallId: "call-1" }));
    expect(await asks()).toBe(true);
    renameSync(folder, `${folder}-moved`);
    symlinkSync(`${folder}-moved`, folder);
    expect(await asks()).toBe(true);
    await expect(execute()).rejects.toThrow("something other than what was approved");
    // A new question is about how it is now, and so is its answer.
    expect(await asks()).toBe(true);
    await execute();
    expect(existsSync(join(`${folder}-moved`, "made.txt"))).toBe(true);
  });

  test("yields progress and output while the call runs, and the result last", async () => {
    app.registry.register(slow);
    expect(await run("slow", {})).toEqual([
      { text: "", progress: { progress: 1, total: 2, message: "half" } },
      { text: "some" },
      expect.objectContaining({ text: "all", callId: expect.stringMatching(/^c_/), trust: "trusted" }),
    ]);
  });

  test("stops the call when the run is aborted", async () => {
    app.registry.register(slow);
    const controller = new AbortController();
    const running = run("slow", { forever: true }, "1", controller.signal);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: "TOOL_CANCELLED" });
  });

  test("gives pictures to the model as files, and text alone as text", async () => {
    app.registry.register(picture);
    const { picture: tool } = await open();
    const output = (await run("picture", {})).at(-1) ?? { text: "" };
    expect(tool?.toModelOutput({ output })).toEqual({
      type: "content",
      value: [
        { type: "text", text: "A dot." },
        { type: "file", data: { type: "data", data: "iVBORw0=" }, mediaType: "image/png" },
        { type: "text", text: "[resource: dot file:///dot.png]" },
      ],
    });
    expect(tool?.toModelOutput({ output: { text: "word" } })).toEqual({ type: "text", value: "word" });
    expect(JSON.parse(JSON.stringify(output))).toEqual(output);
  });
});

describe("toOpenAIAgents()", () => {
  const open = async (name: string) => {
    const tool = (await toOpenAIAgents(app, options)).find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  };

  test("gives function tools with a schema of the form that the SDK wants", async () => {
    expect(await open("read")).toMatchObject({
      type: "function",
      strict: false,
      parameters: { type: "object", required: ["path"], additionalProperties: true },
    });
  });

  test("interrupts for a call that haft asks about, and takes the approval for that call", async () => {
    const tool = await open("write");
    expect(await tool.needsApproval({}, write(), "call-1")).toBe(true);
    const details = { toolCall: { callId: "call-1" } };
    expect(await tool.invoke({}, JSON.stringify(write()), details)).toContain("outside.txt");
    expect(readFileSync(outside(), "utf8")).toBe("new");
    expect(await decisions()).toEqual(["completed person:app:ada"]);
  });

  test("answers with the message of a refusal, of wrong arguments and of text that is no JSON", async () => {
    const tool = await open("write");
    expect(await tool.invoke({}, JSON.stringify(write()))).toContain("Permission denied");
    expect(await tool.invoke({}, '{"path":1}')).toContain("content");
    expect(await tool.invoke({}, "{")).toContain("write");
    expect(existsSync(outside())).toBe(false);
  });

  test("gives pictures as images, and stops a call when the run is aborted", async () => {
    app.registry.registerMany([picture, slow]);
    expect(await (await open("picture")).invoke({}, "{}")).toEqual([
      { type: "text", text: "A dot." },
      { type: "image", image: { data: "iVBORw0=", mediaType: "image/png" } },
      { type: "text", text: "[resource: dot file:///dot.png]" },
    ]);
    const details = { signal: AbortSignal.abort() };
    expect(await (await open("slow")).invoke({}, '{"forever":true}', details)).toContain("cancelled");
  });
});

describe("toLangChain()", () => {
  class ToolMessage {
    readonly fields: object;
    constructor(fields: object) {
      this.fields = fields;
    }
  }
  type Run = (args: Record<string, unknown>, config: object) => Promise<unknown>;
  class Interrupted extends Error {}

  /** `resume`: what the graph goes on with; undefined: it has not been interrupted yet. */
  const open = async (name: string, questions: HumanRequest[] = [], resume?: unknown): Promise<Run> => {
    const parts = {
      tool: (run: Run, fields: { name: string }) => ({ ...fields, run }),
      interrupt: (question: HumanRequest) => {
        questions.push(question);
        if (resume === undefined) throw new Interrupted();
        return resume;
      },
      ToolMessage,
    };
    const tool = (await toLangChain(app, parts, options)).find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.run;
  };
  const config = { toolCall: { id: "call-1" } };

  test("interrupts the graph in the form of its human-in-the-loop middleware before anything is recorded or run", async () => {
    const questions: HumanRequest[] = [];
    await expect((await open("write", questions))(write(), config)).rejects.toThrow(Interrupted);
    expect(questions).toEqual([
      {
        actionRequests: [{ name: "write", args: write(), description: expect.stringContaining(outside()) }],
        reviewConfigs: [{ actionName: "write", allowedDecisions: ["approve", "reject"] }],
      },
    ]);
    expect(await decisions()).toEqual([]);
    expect(existsSync(outside())).toBe(false);
  });

  test("runs the call once the graph goes on with a yes, in whatever process", async () => {
    const run = await open("write", [], { decisions: [{ type: "approve" }] });
    expect(await run(write(), config)).toMatchObject({
      fields: { status: "success", tool_call_id: "call-1", name: "write", artifact: { trust: "trusted" } },
    });
    expect(await decisions()).toEqual(["completed person:app:ada"]);
  });

  test.each([
    { decisions: [{ type: "reject", message: "not there" }] },
    { decisions: [{ type: "edit", editedAction: {} }] },
    { decisions: [] },
    { decisions: [{ type: "approve" }, { type: "approve" }] },
    "yes",
    true,
  ])("records anything else as a person's no: %j", async (resume) => {
    const run = await open("write", [], resume);
    expect(await run(write(), config)).toMatchObject({
      fields: { status: "error", content: expect.stringContaining("app:ada said no") },
    });
    expect(await decisions()).toEqual(["denied person:app:ada"]);
    expect(existsSync(outside())).toBe(false);
  });

  test("asks nothing about what haft allows, and gives content alone to who calls without a call's id", async () => {
    app.registry.register(picture);
    place.write("project/note.txt", "hello");
    expect(await (await open("read"))({ path: "note.txt" }, {})).toContain("hello");
    expect(await (await open("picture"))({}, {})).toEqual([
      { type: "text", text: "A dot." },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0=" } },
      { type: "text", text: "[resource: dot file:///dot.png]" },
    ]);
  });

  test("writes progress to the graph's stream, and stops with its signal", async () => {
    app.registry.register(slow);
    const written: unknown[] = [];
    const run = await open("slow");
    await run({}, { ...config, writer: (chunk: unknown) => written.push(chunk) });
    expect(written).toEqual([
      { type: "progress", progress: 1, total: 2, message: "half" },
      { type: "output", text: "some" },
    ]);
    expect(await run({ forever: true }, { ...config, signal: AbortSignal.abort() })).toMatchObject({
      fields: { status: "error" },
    });
  });
});

describe("toMastra()", () => {
  const open = async (name: string) => {
    const tools = await toMastra(app, { createTool: (tool) => tool }, options);
    const tool = tools[name];
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  };

  test("requires approval for a call that haft asks about, and takes it for those arguments", async () => {
    const tool = await open("write");
    expect(await tool.requireApproval(write())).toBe(true);
    const other = tool.execute({ ...write(), content: "other" }, {});
    await expect(other).rejects.toMatchObject({ code: "TOOL_PERMISSION" });
    await tool.execute(write(), { agent: { toolCallId: "call-1" } });
    expect(readFileSync(outside(), "utf8")).toBe("new");
    expect(await decisions()).toEqual(["completed person:app:ada", expect.stringContaining("denied")]);
  });

  test("passes the schema on as it is, and leaves checking the arguments to the gate", async () => {
    const { inputSchema } = await open("read");
    const { validate, jsonSchema } = inputSchema["~standard"];
    expect(validate(1)).toEqual({ value: 1 });
    expect(jsonSchema.input()).toMatchObject({ type: "object", required: ["path"] });
  });

  test("gives pictures, progress and the abort signal on", async () => {
    app.registry.registerMany([picture, slow]);
    const tool = await open("picture");
    expect(tool.toModelOutput(await tool.execute({}, {}))).toMatchObject({
      value: [
        { type: "text" },
        { type: "media", mediaType: "image/png", data: "iVBORw0=" },
        { type: "text" },
      ],
    });
    const written: unknown[] = [];
    const writer = {
      write: async (data: unknown) => {
        written.push(data);
        throw new Error("nobody reads");
      },
    };
    await (await open("slow")).execute({}, { writer });
    expect(written).toHaveLength(2);
    const stopped = (await open("slow")).execute({ forever: true }, { abortSignal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ code: "TOOL_CANCELLED" });
  });
});
