import { expect, test } from "vitest";
import { ConsoleViews } from "../../../../test/support/console-views.ts";

test("the list of tools has each with its tokens, its calls and whether it may run", async () => {
  const views = await ConsoleViews.open("permissions:\n  - { tool: write, decision: deny }\n");
  views.installation.write("project/notes.txt", "Buy milk.");
  await views.app.executor.run("read", { path: "notes.txt" }, views.app.context);
  await views.app.executor.run("read", { path: "nowhere.txt" }, views.app.context);
  const list = await views.ask("GET /tools", { query: { target: "anthropic" } });
  expect(list).toMatchObject({ target: "anthropic", quarantined: [] });
  expect(list.tools.length).toBe(views.app.registry.list().length);
  const find = (name: string) => list.tools.find((tool) => tool.name === name);
  expect(find("read")).toMatchObject({
    tier: "core",
    kind: "pack",
    calls: 2,
    failed: 1,
    stopped: 0,
    tokens: expect.any(Number),
    p95Ms: expect.any(Number),
    allowed: true,
  });
  expect(find("write")).toMatchObject({ calls: 0, lastAt: 0, allowed: false });
  await expect(views.ask("GET /tools", { query: { target: "google" } })).rejects.toMatchObject({
    code: "CONSOLE_INPUT",
    message: expect.stringContaining("openai-strict"),
  });
});

test("one tool comes with its form for each API, its versions, and its calls by their state", async () => {
  const views = await ConsoleViews.open();
  await views.app.executor.run("read", { path: "nowhere.txt" }, views.app.context);
  const detail = await views.ask("GET /tools/:name", { segments: { name: "read" } });
  expect(detail.tool).toMatchObject({ name: "read", parameters: { type: "object" }, callable: true });
  expect(detail.forms.map(({ target }) => target)).toEqual([
    "openai",
    "openai-strict",
    "anthropic",
    "gemini",
    "mcp",
  ]);
  expect(detail.forms[0]).toMatchObject({
    definition: { type: "function", function: { name: "read" } },
    tokens: expect.any(Number),
  });
  expect(detail.versions).toMatchObject([{ tool: "read", share: 100, calls: 1, failed: 1 }]);
  expect(detail.states).toMatchObject([{ value: "failed", calls: 1 }]);
  await expect(views.ask("GET /tools/:name", { segments: { name: "raed" } })).rejects.toMatchObject({
    code: "CONSOLE_NOT_FOUND",
    message: 'Cannot find the tool "raed"; did you mean read',
  });
});

test("a dry run decides and runs nothing", async () => {
  const views = await ConsoleViews.open();
  const params = { path: "notes.txt", content: "Buy milk." };
  const decided = await views.ask("POST /tools/:name/dry-run", {
    segments: { name: "write" },
    body: { params },
  });
  expect(decided).toMatchObject({ tool: "write", decision: "allow", outcome: "allow", channel: "console" });
  const read = await views.app.executor.run("read", { path: "notes.txt" }, views.app.context);
  expect(read.success).toBe(false);
});

test("a run goes through the gate in the name of the person at the console", async () => {
  const views = await ConsoleViews.open();
  const params = { path: "notes.txt", content: "Buy milk." };
  const result = await views.ask("POST /tools/:name/run", { segments: { name: "write" }, body: { params } });
  expect(result).toMatchObject({ success: true, toolName: "write" });
  const { ledger } = await views.app.store();
  expect(await ledger.show(result.callId)).toMatchObject({ userId: "person:console", channel: "console" });
});

test("a run ends with the request", async () => {
  const views = await ConsoleViews.open();
  const gone = new AbortController();
  gone.abort();
  const result = await views.ask("POST /tools/:name/run", {
    segments: { name: "read" },
    body: { params: { path: "notes.txt" } },
    signal: gone.signal,
  });
  expect(result).toMatchObject({ success: false, code: "TOOL_CANCELLED" });
});

test.for([
  ["no object", "text"],
  ["without params", {}],
  ["with a strange key", { params: {}, command: "id" }],
  ["with a wrong type", { params: {}, agent: 7 }],
])("a body %s is refused", async ([, body]) => {
  const views = await ConsoleViews.open();
  await expect(
    views.ask("POST /tools/:name/run", { segments: { name: "read" }, body }),
  ).rejects.toMatchObject({ code: "CONSOLE_INPUT" });
});
