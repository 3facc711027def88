import { expect, test, vi } from "vitest";
import type { OperatorAnswer, StreamLine } from "../../src/server/index.ts";
import { askOperator, OperatorWorld } from "../support/operator-world.ts";

const query = (prompt: string, more: object = {}) => ({ type: "query", agentID: "main", prompt, ...more });
const written = { settings: "agents: { architect: {} }\n" };
const readSession = (answer: OperatorAnswer) => (answer as { sessionID: string }).sessionID;

test("a query is answered with what the agent said, and its session goes on with the next one", async () => {
  const { operator, app, installation, provider } = await OperatorWorld.open([
    { calls: [{ name: "read", input: { path: "notes.txt" } }] },
    { text: "Milk is to be bought." },
    { text: "Nothing else." },
  ]);
  installation.write("project/notes.txt", "Buy milk.");
  const answer = await askOperator(operator, query("What is to be bought?", { id: "q1" }));
  expect(answer).toEqual({
    type: "query_result",
    id: "q1",
    sessionID: expect.any(String),
    agentID: "main",
    runID: expect.stringMatching(/^run_/),
    content: "Milk is to be bought.",
    turns: 2,
    usage: expect.objectContaining({ inputTokens: 200 }),
    stopReason: "end",
  });
  const again = await askOperator(operator, query("What else?", { sessionID: readSession(answer) }));
  expect(again).toMatchObject({ sessionID: readSession(answer), content: "Nothing else.", turns: 1 });
  expect(JSON.stringify(provider.lastMessages())).toContain("Milk is to be bought.");
  const { sessions } = await app.store();
  expect(await sessions.list({ scope: "local" })).toMatchObject([{ channel: "operator", agentId: "main" }]);
});

test("a streamed query tells of its turns, texts and calls in their order, and ends with one `done`", async () => {
  const { operator, installation } = await OperatorWorld.open([
    { text: "I look.", calls: [{ name: "read", input: { path: "notes.txt" } }] },
    { text: "Milk." },
  ]);
  installation.write("project/notes.txt", "Buy milk.");
  const lines: StreamLine[] = [];
  const done = await askOperator(operator, query("What?", { id: "q", stream: true }), { lines });
  expect(done).toMatchObject({ type: "done", id: "q", content: "Milk.", turns: 2, stopReason: "end" });
  const shown = lines.filter(({ type }) => type !== "text").map(({ type }) => type);
  expect(shown).toEqual([
    "status",
    "turn.start",
    "tool.call",
    "tool.result",
    "turn.end",
    "turn.start",
    "turn.end",
  ]);
  for (const line of lines) expect(line).toMatchObject({ id: "q", sessionID: readSession(done) });
  const texts = lines.flatMap((line) => (line.type === "text" ? [line.content] : []));
  expect(texts.join("")).toBe("I look.Milk.");
  expect(lines.find(({ type }) => type === "tool.call")).toMatchObject({
    name: "read",
    input: { path: "notes.txt" },
  });
  expect(lines.find(({ type }) => type === "tool.result")).toMatchObject({
    name: "read",
    failed: false,
    content: expect.stringContaining("Buy milk."),
  });
  expect(lines.find(({ type }) => type === "turn.end")).toMatchObject({
    turn: 1,
    usage: { inputTokens: 100 },
  });
});

test("a dispatch with a prompt starts the agent with the tools that it left", async () => {
  const { operator, provider } = await OperatorWorld.open(
    [
      { calls: [{ name: "bash", input: { command: "true" } }] },
      { text: "I may not." },
      { text: "Still not." },
    ],
    written,
  );
  const dispatch = {
    type: "dispatch",
    id: "d",
    agentID: "architect",
    context: { tools: ["read", "no_such"] },
  };
  const answer = await askOperator(operator, { ...dispatch, prompt: "Run true" });
  expect(answer).toMatchObject({
    type: "dispatched",
    id: "d",
    agentID: "architect",
    tools: ["read"],
    unknown: ["no_such"],
    content: "I may not.",
    turns: 2,
    stopReason: "end",
  });
  const said = JSON.stringify(provider.lastMessages());
  expect(said).toContain("not among the allowedTools of the run");
  // The tools that the dispatch took away are not shown either.
  const tools = provider.asked[0]?.body["tools"] as { function: { name: string } }[];
  expect(tools.map((tool) => tool.function.name)).toEqual(["read"]);
  const lines: StreamLine[] = [];
  const next = { ...dispatch, sessionID: readSession(answer), prompt: "Again", stream: true };
  expect(await askOperator(operator, next, { lines })).toMatchObject({ type: "done", content: "Still not." });
  expect(lines[0]).toMatchObject({ type: "dispatched", tools: ["read"] });
});

test("after a restart a session goes on with its agent and with the tools that its dispatch left", async () => {
  const world = await OperatorWorld.open(
    [{ text: "Hello." }, { calls: [{ name: "bash", input: { command: "true" } }] }, { text: "I may not." }],
    written,
  );
  const dispatch = { type: "dispatch", agentID: "architect", context: { tools: ["read"] }, prompt: "Hello" };
  const sessionID = readSession(await askOperator(world.operator, dispatch));
  await world.operator.close();
  const restarted = world.another();
  expect(await askOperator(restarted, { type: "query", sessionID, prompt: "Run true" })).toMatchObject({
    sessionID,
    agentID: "architect",
    content: "I may not.",
  });
  expect(JSON.stringify(world.provider.lastMessages())).toContain("not among the allowedTools of the run");
  // What it may call is known of no session but an open one, so that no call is made with more.
  expect(await askOperator(restarted, { type: "tool", sessionID, name: "bash" })).toMatchObject({
    code: "SESSION_NOT_FOUND",
  });
});

test("a session has one query at a time, and others have theirs", async () => {
  const { operator, app } = await OperatorWorld.open((asked) =>
    JSON.stringify(asked.body["messages"]).includes("wait") ? undefined : { text: "Quick." },
  );
  const say = operator.connect();
  const gone = new AbortController();
  const never = new AbortController().signal;
  const lines: StreamLine[] = [];
  const first = say(JSON.stringify(query("wait", { stream: true })), gone.signal, {
    emit: (line) => lines.push(line),
  });
  expect(await say(JSON.stringify(query("now", { id: "b" })), never)).toMatchObject({
    type: "error",
    id: "b",
    code: "RATE_LIMIT_EXCEEDED",
  });
  expect(await askOperator(operator, query("now"))).toMatchObject({ content: "Quick." });
  await vi.waitFor(() => expect(lines.map(({ type }) => type)).toContain("turn.start"), 30_000);
  gone.abort();
  expect(await first).toMatchObject({ stopReason: "interrupted" });
  // Nothing is kept of the one that was refused.
  const { sessions } = await app.store();
  const stored = await sessions.list({ scope: "local" });
  const said = await Promise.all(
    stored.map(async ({ id }) => [await sessions.entries("local", id), await sessions.waiting("local", id)]),
  );
  expect(JSON.stringify(said).split('"now"').length - 1).toBe(1);
  expect(await say(JSON.stringify(query("and this", { sessionID: "" })), never)).toMatchObject({
    code: "INVALID_REQUEST",
  });
});

test("a session whose run another process drives takes no query, and keeps nothing of it", async () => {
  const { operator, app } = await OperatorWorld.open([{ text: "Hello." }]);
  const open = await askOperator(operator, query("Hello"));
  const { sessions, runs } = await app.store();
  const [session] = await sessions.list({ scope: "local" });
  const sessionId = session?.id ?? "";
  const { id } = await runs.begin({ scope: "local", kind: "turn", sessionId });
  await runs.claim("local", id, 60_000);
  expect(await askOperator(operator, query("Again", { sessionID: readSession(open) }))).toMatchObject({
    code: "RATE_LIMIT_EXCEEDED",
  });
  expect(await sessions.waiting("local", sessionId)).toEqual([]);
});

test("a client that goes away interrupts its query, and the next query of the session goes on from there", async () => {
  const { operator, app } = await OperatorWorld.open((_asked, before) =>
    before === 0 ? { text: "I beg", isOpen: true } : { text: "Here I am again." },
  );
  const gone = new AbortController();
  const lines: StreamLine[] = [];
  const asking = askOperator(operator, query("Begin", { stream: true }), { signal: gone.signal, lines });
  await vi.waitFor(() => expect(lines.some(({ type }) => type === "text")).toBe(true), 30_000);
  gone.abort();
  const answer = await asking;
  expect(answer).toMatchObject({ type: "done", stopReason: "interrupted" });
  const { runs } = await app.store();
  expect(await runs.list({ scope: "local" })).toMatchObject([{ state: "stopped", why: "interrupted" }]);
  expect(await askOperator(operator, query("Go on", { sessionID: readSession(answer) }))).toMatchObject({
    content: "Here I am again.",
  });
});

test("an operator that closes leaves its query to be gone on with", async () => {
  const { operator, app } = await OperatorWorld.open([{ text: "I beg", isOpen: true }]);
  const lines: StreamLine[] = [];
  const asking = askOperator(operator, query("Begin", { stream: true }), { lines });
  await vi.waitFor(() => expect(lines.some(({ type }) => type === "text")).toBe(true), 30_000);
  await operator.close();
  expect(await asking).toMatchObject({ type: "error", code: "TOOL_EXECUTION_FAILED" });
  const { runs } = await app.store();
  expect(await runs.list({ scope: "local" })).toMatchObject([{ state: "pending" }]);
  // Whatever works in the background for this folder next finds it there.
  const { jobs } = await app.store();
  expect(await jobs.list({})).toMatchObject([{ state: "pending" }]);
  expect(await askOperator(operator, query("Another"))).toMatchObject({ code: "TOOL_EXECUTION_FAILED" });
});

test("a question for a person parks the run, whose state a context request tells", async () => {
  const { operator } = await OperatorWorld.open(
    [{ calls: [{ name: "write", input: { path: "new.txt", content: "x" } }] }],
    { settings: "permissions: [{ decision: ask, tool: write }]\n" },
  );
  const lines: StreamLine[] = [];
  const parked = await askOperator(operator, query("Write it", { stream: true }), { lines });
  expect(parked).toMatchObject({ type: "done", stopReason: "approval", turns: 1 });
  expect(parked).not.toHaveProperty("error");
  expect(lines.findLast(({ type }) => type === "status")).toMatchObject({
    status: "approval",
    approvalID: expect.any(String),
    message: expect.stringContaining("haft approvals show"),
  });
  const context = { type: "send_context_request", id: "c", sessionID: readSession(parked) };
  expect(await askOperator(operator, context)).toMatchObject({
    type: "context",
    id: "c",
    sessionID: readSession(parked),
    agentID: "main",
    run: { runID: parked["runID"], state: "parked", why: "approval", turns: 1 },
  });
});

test("a query whose agent has given work away ends with what it said, and goes on by itself", async () => {
  const spawns = { name: "spawn_task", input: { description: "Look", input: "alpha" } };
  const world = await OperatorWorld.open((asked) => {
    const said = JSON.stringify(asked.body["messages"]);
    if (said.includes("It was found")) return { text: "It is there." };
    if (!said.includes("Search")) return { text: "It was found." };
    return said.includes('"role":"tool"') ? { text: "I have asked." } : { text: "I ask.", calls: [spawns] };
  });
  const parked = await askOperator(world.operator, query("Search"));
  expect(parked).toMatchObject({ stopReason: "task", content: "I have asked.", turns: 2 });
  world.app.background.start([world.app.context], 0);
  const context = { type: "send_context_request", sessionID: readSession(parked) };
  await vi.waitFor(
    async () =>
      expect(await askOperator(world.operator, context)).toMatchObject({
        run: { runID: parked["runID"], state: "completed", content: "It is there." },
      }),
    30_000,
  );
});

test("send_context_request tells what the agent is shown, and how large it is", async () => {
  const { operator } = await OperatorWorld.open([{ text: "Hello." }], written);
  const open = await askOperator(operator, { type: "dispatch", agentID: "architect" });
  const request = { type: "send_context_request", sessionID: readSession(open) };
  expect(await askOperator(operator, request)).toEqual({
    type: "context",
    sessionID: readSession(open),
    agentID: "architect",
    sizes: { instructions: 0, tools: 0, entries: 0, request: 0 },
    entries: [],
  });
  await askOperator(operator, { type: "query", sessionID: readSession(open), prompt: "Say hello" });
  const view = (await askOperator(operator, request)) as unknown as {
    sizes: { instructions: number; tools: number; entries: number; request: number };
    entries: { seq: number; kind: string; tokens: number; text: string }[];
    run: object;
  };
  expect(view.run).toMatchObject({ state: "completed", content: "Hello.", turns: 1 });
  const said = view.entries.filter(({ kind }) => kind !== "note");
  expect(said).toMatchObject([
    { kind: "user", text: "Say hello" },
    { kind: "answer", text: "Hello." },
  ]);
  expect(view.sizes.entries).toBe(view.entries.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(Math.min(view.sizes.instructions, view.sizes.tools, view.sizes.request)).toBeGreaterThan(0);
});

test("a prompt that no request has room for is CONTEXT_TOO_LARGE", async () => {
  const { operator } = await OperatorWorld.open([]);
  expect(await askOperator(operator, query("many words ".repeat(60_000)))).toMatchObject({
    type: "query_result",
    stopReason: "context",
    code: "CONTEXT_TOO_LARGE",
    error: expect.stringContaining("send less"),
  });
});

test("without a model the answer names the remedy, and nothing is kept of the query", async () => {
  const { operator, app } = await OperatorWorld.open(undefined);
  const { sessions } = await app.store();
  expect(await askOperator(operator, query("Hello", { id: "q" }))).toMatchObject({
    type: "query_result",
    id: "q",
    turns: 0,
    stopReason: "failed",
    code: "TOOL_EXECUTION_FAILED",
    cause: "AGENT_MODEL",
    error: expect.stringContaining("haft help models"),
  });
  expect(await sessions.list({ scope: "local" })).toEqual([]);
});

test("a model that refuses ends the query with its own code", async () => {
  const { operator, app } = await OperatorWorld.open([{ refuse: 401 }]);
  const failed = await askOperator(operator, query("Hello"));
  expect(failed).toMatchObject({ stopReason: "failed", code: "TOOL_EXECUTION_FAILED", cause: "MODEL_AUTH" });
  const { runs } = await app.store();
  expect(await runs.list({ scope: "local" })).toMatchObject([{ state: "failed" }]);
});

test("an agent that is not there, or not this session's, is not asked", async () => {
  const { operator, provider } = await OperatorWorld.open([{ text: "Hello." }], {
    settings: "agents: { architect: { allowedTools: [read] } }\n",
  });
  expect(await askOperator(operator, { ...query("Hello"), agentID: "ghost" })).toMatchObject({
    code: "AGENT_NOT_FOUND",
  });
  const open = await askOperator(operator, { type: "dispatch", agentID: "architect" });
  expect(await askOperator(operator, query("Hello", { sessionID: readSession(open) }))).toMatchObject({
    code: "INVALID_REQUEST",
    error: expect.stringContaining('that of "architect"'),
  });
  expect(provider.asked).toEqual([]);
});

test("an installation that is one agent's runs no other", async () => {
  const { operator, provider } = await OperatorWorld.open([{ text: "Hello." }], {
    settings: "agents: { architect: { allowedTools: [read] }, builder: {} }\n",
    options: { agent: "architect" },
  });
  for (const agentID of ["builder", "main"])
    expect(await askOperator(operator, { ...query("Hello"), agentID })).toMatchObject({
      code: "AGENT_NOT_FOUND",
    });
  expect(provider.asked).toEqual([]);
  expect(await askOperator(operator, { type: "query", prompt: "Hello" })).toMatchObject({
    agentID: "architect",
  });
});

test("no caller reaches the conversation of another, or one of another channel", async () => {
  const { operator, app, provider } = await OperatorWorld.open([{ text: "Hello." }]);
  const open = await askOperator(operator, query("Hello"), { name: "http:one" });
  const { sessions } = await app.store();
  const chat = await sessions.open({ scope: "local", agentId: "main", channel: "terminal", address: "tty1" });
  const asked = provider.asked.length;
  const attempts = [
    { id: readSession(open), name: "http:two" },
    { id: readSession(open), name: "socket" },
    { id: chat.id, name: "http:one" },
    { id: chat.address, name: "http:one" },
    { id: `http:one/${readSession(open)}`, name: "http:two" },
  ];
  for (const { id: sessionID, name } of attempts)
    for (const message of [query("Hi", { sessionID }), { type: "send_context_request", sessionID }])
      expect(await askOperator(operator, message, { name })).toMatchObject({ code: "SESSION_NOT_FOUND" });
  expect(provider.asked.length).toBe(asked);
});
