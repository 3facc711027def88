import { expect, test } from "vitest";
import { type CallContext, defineTool, type Tool } from "../../src/kernel/index.ts";
import { Operator, type OperatorAnswer, type OperatorOptions } from "../../src/server/index.ts";
import { Installation } from "../support/installation.ts";
import { createTestExecutor } from "../support/test-executor.ts";

const seen: CallContext[] = [];
const parameters = {
  type: "object",
  properties: { text: { type: "string" } },
  additionalProperties: false,
} as const;
const tools: readonly Tool[] = [
  defineTool({
    name: "say",
    description: "Says it.",
    parameters,
    execute: ({ text = "nothing" }: { text?: string }, { agentId, origin }) => {
      seen.push({ ...(agentId !== undefined && { agentId }), ...(origin !== undefined && { origin }) });
      return text;
    },
  }),
  defineTool({
    name: "fail",
    description: "Fails.",
    parameters,
    execute: () => {
      throw new Error("it broke");
    },
  }),
];

function createOperator(options: Partial<OperatorOptions> = {}): Operator {
  const { registry, executor } = createTestExecutor(tools);
  return new Operator({ registry, executor, context: {}, ...options });
}

const never = new AbortController().signal;
const ask = (operator: Operator, message: unknown): Promise<OperatorAnswer> =>
  operator.answer(typeof message === "string" ? message : JSON.stringify(message), never);

test("a tool is called by its name and input, and answered with its text", async () => {
  const operator = createOperator();
  expect(await ask(operator, { type: "tool", id: "t1", name: "say", input: { text: "hello" } })).toEqual({
    type: "tool_result",
    id: "t1",
    content: "hello",
  });
  expect(await ask(operator, { type: "tool", name: "say" })).toEqual({
    type: "tool_result",
    id: expect.stringMatching(/^c_/),
    content: "nothing",
  });
});

test.for([
  { message: { type: "tool", name: "no_such" }, code: "TOOL_NOT_AVAILABLE", cause: "TOOL_NOT_FOUND" },
  {
    message: { type: "tool", name: "say", input: { text: 1, more: 2 } },
    code: "INVALID_REQUEST",
    cause: "TOOL_VALIDATION",
  },
  { message: { type: "tool", name: "fail" }, code: "TOOL_EXECUTION_FAILED", cause: "TOOL_FAILED" },
])("a call that fails says why in the operator's words: $code", async ({ message, code, cause }) => {
  expect(await ask(createOperator(), { ...message, id: "t" })).toEqual({
    type: "tool_result",
    id: "t",
    content: "",
    error: expect.any(String),
    code,
    cause,
  });
});

test.for([
  ["{", "one JSON object"],
  ["[]", "one JSON object"],
  [{ type: "ask" }, '"type" must be'],
  [{ type: "query" }, '"prompt"'],
  [{ type: "query", prompt: " " }, '"prompt"'],
  [{ type: "query", prompt: "a", stream: 1 }, '"stream"'],
  [{ type: "query", prompt: "a", agentID: 1 }, '"agentID"'],
  [{ type: "query", prompt: "a" }, "haft serve"],
  [{ type: "send_context_request" }, '"sessionID"'],
  [{ type: "dispatch", agentID: "a", prompt: [] }, '"prompt"'],
  [{ type: "tool" }, '"name"'],
  [{ type: "tool", name: 1 }, '"name"'],
  [{ type: "tool", name: "say", id: "a\nb" }, '"id"'],
  [{ type: "dispatch" }, '"agentID"'],
  [{ type: "dispatch", agentID: "a", context: { tools: "say" } }, '"context.tools"'],
  [{ type: "dispatch", agentID: "a", context: { tools: [1] } }, '"context.tools"'],
] as const)("%j is no request", async ([message, says]) => {
  expect(await ask(createOperator(), message)).toEqual({
    type: "error",
    error: expect.stringContaining(says),
    code: "INVALID_REQUEST",
  });
});

test("a dispatch says which agent calls, and which tools it may call from then on", async () => {
  const answer = createOperator().connect();
  const say = (message: unknown) => answer(JSON.stringify(message), never);
  const dispatched = await say({
    type: "dispatch",
    id: "d",
    agentID: "architect",
    context: { tools: ["say", "bash"] },
  });
  expect(dispatched).toEqual({
    type: "dispatched",
    id: "d",
    sessionID: expect.any(String),
    agentID: "architect",
    tools: ["say"],
    unknown: ["bash"],
  });
  expect(await say({ type: "tool", id: "t", name: "fail" })).toMatchObject({
    code: "TOOL_NOT_AVAILABLE",
    cause: "TOOL_NOT_CALLABLE",
  });
  expect(await say({ type: "tool", id: "t", name: "say" })).toMatchObject({ content: "nothing" });
  expect(seen.at(-1)).toEqual({
    agentId: "architect",
    origin: { channel: "operator", id: "t", session: (dispatched as { sessionID: string }).sessionID },
  });
  expect(await say({ type: "dispatch", agentID: "b", context: { tools: [] } })).toMatchObject({ tools: [] });
  expect(await say({ type: "tool", id: "t", name: "say" })).toMatchObject({ code: "TOOL_NOT_AVAILABLE" });
});

test("a dispatch can't allow what the installation does not", async () => {
  const answer = createOperator({ context: { allowedTools: ["fail"] } }).connect();
  const say = (message: unknown) => answer(JSON.stringify(message), never);
  expect(await say({ type: "dispatch", agentID: "a", context: { tools: ["say", "fail"] } })).toMatchObject({
    tools: ["fail"],
  });
  expect(await say({ type: "tool", name: "say" })).toMatchObject({ code: "TOOL_NOT_AVAILABLE" });
  expect(await say({ type: "dispatch", agentID: "a" })).toMatchObject({ tools: ["fail"] });
});

test("a session is its own: no other connection joins it, and one that is not there is not found", async () => {
  const operator = createOperator({ hasAgent: (id) => id === "architect" });
  const dispatch = { type: "dispatch", agentID: "architect", context: { tools: ["fail"] } };
  const { sessionID } = (await ask(operator, dispatch)) as { sessionID: string };
  const call = { type: "tool", id: "t", name: "say" };
  expect(await ask(operator, { ...call, sessionID })).toMatchObject({ code: "TOOL_NOT_AVAILABLE" });
  expect(await ask(operator, call)).toMatchObject({ content: "nothing" });
  expect(await ask(operator, { ...call, sessionID: "other" })).toMatchObject({
    type: "error",
    id: "t",
    code: "SESSION_NOT_FOUND",
  });
  const other = operator.connect();
  expect(await other(JSON.stringify({ ...call, sessionID }), never)).toMatchObject({
    code: "SESSION_NOT_FOUND",
  });
  expect(await ask(operator, { ...dispatch, agentID: "ghost" })).toMatchObject({ code: "AGENT_NOT_FOUND" });
});

test("calls of a conversation wait for the dispatch before them, and have its rights", async () => {
  let ready = () => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const answer = createOperator({ ready: () => isReady }).connect();
  const say = (message: unknown) => answer(JSON.stringify(message), never);
  const dispatch = (tools: readonly string[]) => ({ type: "dispatch", agentID: "a", context: { tools } });
  const fail = { type: "tool", id: "f", name: "fail" };
  const before = say({ type: "tool", id: "before", name: "say" });
  const answers = [say(dispatch(["say"])), say(fail), say(dispatch(["fail"])), say(fail)];
  expect(await before).toMatchObject({ content: "nothing" });
  ready();
  expect(await Promise.all(answers)).toMatchObject([
    { type: "dispatched", tools: ["say"] },
    { cause: "TOOL_NOT_CALLABLE" },
    { type: "dispatched", tools: ["fail"] },
    { cause: "TOOL_FAILED" },
  ]);
});

test("a conversation holds a hundred requests behind a dispatch, and no more", async () => {
  let ready = () => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const answer = createOperator({ ready: () => isReady }).connect();
  const say = (message: unknown) => answer(JSON.stringify(message), never);
  const dispatched = say({ type: "dispatch", agentID: "a" });
  const held = Array.from({ length: 100 }, () => say({ type: "dispatch", agentID: "a" }));
  expect(await say({ type: "tool", id: "t", name: "say" })).toMatchObject({
    id: "t",
    code: "RATE_LIMIT_EXCEEDED",
  });
  ready();
  expect(await dispatched).toMatchObject({ type: "dispatched" });
  for (const one of await Promise.all(held)) expect(one).toMatchObject({ type: "dispatched" });
});

test.for([
  [{ type: "dispatch", agentID: "ghost" }, "AGENT_NOT_FOUND"],
  [{ type: "dispatch", agentID: "writer", context: { tools: "all" } }, "INVALID_REQUEST"],
  [{ type: "dispatch", agentID: "writer", sessionID: "other" }, "SESSION_NOT_FOUND"],
  ["no JSON, so that it may have been one", "INVALID_REQUEST"],
] as const)("no call runs after a dispatch that failed: %j", async ([failing, code]) => {
  let over = 0;
  const operator = createOperator({ hasAgent: (id) => id === "writer" });
  const answer = operator.connect(() => over++);
  const say = (message: unknown) =>
    answer(typeof message === "string" ? message : JSON.stringify(message), never);
  const calls = seen.length;
  const answers = await Promise.all([
    say({ type: "tool", id: "before", name: "say" }),
    say({ type: "query", id: "q" }),
    say({ type: "tool", id: "wrong" }),
    say(failing),
    say({ type: "tool", id: "after", name: "say" }),
    say({ type: "dispatch", id: "again", agentID: "writer" }),
  ]);
  expect(answers).toMatchObject([
    { content: "nothing" },
    { code: "INVALID_REQUEST" },
    { code: "INVALID_REQUEST" },
    { type: "error", code },
    { type: "error", id: "after", code: "SESSION_NOT_FOUND" },
    { type: "error", id: "again", code: "SESSION_NOT_FOUND" },
  ]);
  expect([seen.length - calls, over]).toEqual([1, 1]);
});

test("no more than 16 calls of a session run at once", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = defineTool({
    name: "slow",
    description: "Waits.",
    parameters,
    execute: () => released.then(() => "done"),
  });
  const { registry, executor } = createTestExecutor([slow], { maxConcurrent: 100 });
  const answer = new Operator({ registry, executor, context: {} }).connect();
  const say = () => answer(JSON.stringify({ type: "tool", id: "t", name: "slow" }), never);
  const running = Array.from({ length: 16 }, say);
  expect(await say()).toMatchObject({ type: "error", id: "t", code: "RATE_LIMIT_EXCEEDED" });
  release();
  expect(await Promise.all(running)).toEqual(
    running.map(() => ({ type: "tool_result", id: "t", content: "done" })),
  );
});

test("a call that has to be asked about, where nobody can be, says how to allow it", async () => {
  const { app } = await new Installation().open();
  const operator = new Operator({ registry: app.registry, executor: app.executor, context: app.context });
  const refused = await ask(operator, {
    type: "tool",
    id: "t",
    name: "bash",
    input: { command: "rm -rf build" },
  });
  expect(refused).toMatchObject({ code: "TOOL_EXECUTION_FAILED", cause: "TOOL_PERMISSION" });
  expect((refused as { error: string }).error).toContain("haft approvals");
});
