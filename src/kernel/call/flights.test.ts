import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createTestExecutor, RecordingLedger, settle } from "../../../test/support/test-executor.ts";
import { defineTool, type Tool } from "../tool/tool.ts";
import type { CallContext, ToolContext, ToolUpdate } from "./context.ts";

interface Work {
  readonly params: { readonly n: number };
  readonly context: ToolContext;
  readonly end: (value: unknown) => void;
  readonly fail: (error: Error) => void;
}

/** A tool whose calls end when the test says so; `works` has each time that it was really run. */
function makeTool(over: Partial<Tool> = {}): { readonly tool: Tool; readonly works: Work[] } {
  const works: Work[] = [];
  const tool = defineTool({
    name: "look",
    description: "Look something up.",
    parameters: z.object({ n: z.int(), key: z.string().optional() }),
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    execute: (params, context) =>
      new Promise((end, fail) => {
        works.push({ params, context, end, fail });
        context.signal.addEventListener("abort", () => fail(context.signal.reason as Error));
      }),
  });
  return { tool: { ...tool, ...over } as Tool, works };
}

test("an equal call that runs at the same moment is joined: the tool runs once, and each call has its own result and record", async () => {
  const { tool, works } = makeTool();
  const ledger = new RecordingLedger();
  const { executor } = createTestExecutor([tool], { ledger });
  const calls = ["a", "b"].map((callId) => executor.run("look", { n: 1 }, { callId }));
  await settle();
  expect(works).toHaveLength(1);
  works[0]?.end({ found: ["it"] });
  const [a, b] = await Promise.all(calls);
  expect([a, b]).toMatchObject([
    { callId: "a", success: true, result: { found: ["it"] } },
    { callId: "b", success: true, result: { found: ["it"] } },
  ]);
  expect(a?.success && a.result).not.toBe(b?.success && b.result);
  expect(ledger.entries).toMatchObject([
    { started: { callId: "a", decision: { decision: "allow" } } },
    { started: { callId: "b", decision: { decision: "allow" } } },
    { ended: { callId: "a" }, outcome: { notes: [] } },
    { ended: { callId: "b" }, outcome: { notes: ["joined: a"] } },
  ]);
  const later = executor.run("look", { n: 1 });
  await settle();
  expect(works).toHaveLength(2);
  works[1]?.end("new");
  expect(await later).toMatchObject({ result: "new" });
});

test("calls that have their turn at the same moment run the tool once, and one that joins takes no place", async () => {
  const { tool, works } = makeTool({ effects: async () => [] });
  const free = defineTool({
    name: "free",
    annotations: { readOnly: true },
    description: "Do.",
    parameters: z.object({}),
    execute: () => "done",
  });
  const { executor } = createTestExecutor([tool, free], { ledger: new RecordingLedger(), maxConcurrent: 2 });
  const calls = Array.from({ length: 2 }, () => executor.run("look", { n: 1 }));
  await settle();
  calls.push(...Array.from({ length: 20 }, () => executor.run("look", { n: 1 })));
  await settle();
  expect(works).toHaveLength(1);
  works[0]?.end("it");
  expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(Array(22).fill("it"));
  // One place is the first call's; twenty others that waited for it would leave none.
  const { executor: narrow } = createTestExecutor([tool, free], { maxConcurrent: 2 });
  const first = narrow.run("look", { n: 2 });
  await settle();
  const joined = Array.from({ length: 20 }, () => narrow.run("look", { n: 2 }));
  await settle();
  expect(await narrow.run("free", {})).toMatchObject({ text: "done" });
  works[1]?.end("it");
  await Promise.all([first, ...joined]);
  expect(works).toHaveLength(2);
});

test("what the tool throws is the failure of each call", async () => {
  const { tool, works } = makeTool();
  const { executor } = createTestExecutor([tool]);
  const calls = [executor.run("look", { n: 1 }), executor.run("look", { n: 1 })];
  await settle();
  works[0]?.fail(new Error("not there"));
  expect(await Promise.all(calls)).toMatchObject([{ error: "not there" }, { error: "not there" }]);
  expect(works).toHaveLength(1);
});

test("the result of each call says where it is from, and so does that of a call around one that joined", async () => {
  const { tool, works } = makeTool({
    effects: ({ n }: { readonly n: number }) => [
      n === 1
        ? { kind: "connect", target: "https://site.example", within: true }
        : { kind: "read", target: "/w/a", within: true },
    ],
  } as Partial<Tool>);
  const around = defineTool({
    name: "around",
    description: "Calls it.",
    parameters: z.object({ n: z.int() }),
    annotations: { openWorld: false },
    composes: true,
    execute: async ({ n }, { call }) => (await call("look", { n })).text,
  });
  const post = defineTool({
    name: "post",
    description: "Post it.",
    parameters: z.object({ text: z.string() }),
    annotations: { openWorld: false },
    execute: () => "posted",
  });
  const { executor } = createTestExecutor([tool, around, post], { maxConcurrent: 4 });
  const context: CallContext = { origin: { channel: "chat", id: "m1", session: "s1" } };
  const look = (n: number, callId: string) => executor.run("look", { n }, { ...context, callId });
  for (const [n, text, labels] of [
    [1, "zx81-Qf93kk-7731", { trust: "untrusted", private: false, hosts: ["site.example"] }],
    [2, "of the machine", { trust: "trusted", private: true }],
  ] as const) {
    const before = works.length;
    const calls = [look(n, `first ${n}`), look(n, `joined ${n}`)];
    calls.push(executor.run("around", { n }, context));
    await settle();
    expect(works).toHaveLength(before + 1);
    works[before]?.end(text);
    const [first, joined, outer] = await Promise.all(calls);
    expect([first, joined]).toMatchObject([labels, labels]);
    expect(outer).toMatchObject({ ...labels, text, private: true });
    expect(joined?.hosts).toEqual(first?.hosts);
  }
  const posted = executor.run("post", { text: "It is zx81-Qf93kk-7731." }, context);
  expect(await posted).toMatchObject({ trust: "untrusted" });
});

describe("one call that is given up leaves the other alone", () => {
  test("the one that joined is cancelled", async () => {
    const { tool, works } = makeTool();
    const { executor } = createTestExecutor([tool]);
    const cancel = new AbortController();
    const first = executor.run("look", { n: 1 });
    const second = executor.run("look", { n: 1 }, { signal: cancel.signal });
    await settle();
    cancel.abort();
    expect(await second).toMatchObject({ code: "TOOL_CANCELLED" });
    expect(works[0]?.context.signal.aborted).toBe(false);
    works[0]?.end("it");
    expect(await first).toMatchObject({ result: "it" });
  });

  test("the one that runs the tool is cancelled: the other runs it anew", async () => {
    const { tool, works } = makeTool();
    const { executor } = createTestExecutor([tool]);
    const cancel = new AbortController();
    const first = executor.run("look", { n: 1 }, { signal: cancel.signal });
    const second = executor.run("look", { n: 1 });
    await settle();
    cancel.abort();
    expect(await first).toMatchObject({ code: "TOOL_CANCELLED" });
    await settle();
    expect(works).toHaveLength(2);
    works[1]?.end("it");
    expect(await second).toMatchObject({ result: "it" });
  });

  test("all are cancelled: the tool is told to stop, and nobody runs it again", async () => {
    const { tool, works } = makeTool();
    const { executor } = createTestExecutor([tool]);
    const cancel = new AbortController();
    const calls = Array.from({ length: 3 }, () => executor.run("look", { n: 1 }, { signal: cancel.signal }));
    await settle();
    cancel.abort();
    const codes = (await Promise.all(calls)).map((result) => !result.success && result.code);
    expect(codes).toEqual(Array(3).fill("TOOL_CANCELLED"));
    expect(works.map(({ context }) => context.signal.aborted)).toEqual([true]);
  });

  test("each has its own deadline", async () => {
    const { tool, works } = makeTool();
    const { executor, clock } = createTestExecutor([tool], { timeoutMs: 1000 });
    const first = executor.run("look", { n: 1 });
    const hasty = executor.run("look", { n: 1 }, { timeoutMs: 300 });
    await settle();
    await clock.advance(300);
    expect(await hasty).toMatchObject({ code: "TOOL_TIMEOUT" });
    await clock.advance(400);
    const late = executor.run("look", { n: 1 });
    await settle();
    await clock.advance(300);
    expect(await first).toMatchObject({ code: "TOOL_TIMEOUT" });
    await settle();
    expect(works).toHaveLength(2);
    // It has had 300 of its 1000 ms.
    await clock.advance(699);
    expect(works[1]?.context.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(await late).toMatchObject({ code: "TOOL_TIMEOUT" });
  });
});

test("what the tool shows reaches both, also what it showed before the second call", async () => {
  const { tool, works } = makeTool();
  const { executor } = createTestExecutor([tool]);
  const seen: ToolUpdate[][] = [[], []];
  const begin = (at: number) =>
    executor.run("look", { n: 1 }, { onUpdate: (update) => seen[at]?.push(update) });
  const first = begin(0);
  await settle();
  works[0]?.context.output("one ");
  const second = begin(1);
  await settle();
  works[0]?.context.output("two");
  works[0]?.context.progress(1, 2);
  works[0]?.fail(new Error("broken"));
  const all = [
    { type: "output", text: "one " },
    { type: "output", text: "two" },
    { type: "progress", progress: 1, total: 2 },
  ];
  expect(await Promise.all([first, second])).toMatchObject([{ partial: "one two" }, { partial: "one two" }]);
  expect(seen).toEqual([all, all]);
});

test("a listener that throws ends no other call", async () => {
  const { tool, works } = makeTool();
  const { executor, errors } = createTestExecutor([tool]);
  const first = executor.run("look", { n: 1 });
  const fault = new Error("listener");
  const second = executor.run(
    "look",
    { n: 1 },
    {
      onUpdate: () => {
        throw fault;
      },
    },
  );
  await settle();
  works[0]?.context.progress(1);
  works[0]?.end("it");
  expect(await Promise.all([first, second])).toMatchObject([{ result: "it" }, { result: "it" }]);
  expect(errors).toEqual([fault]);
});

const base: CallContext = {
  scope: "a",
  agentId: "a",
  userId: "a",
  taskId: "a",
  project: "/a",
  origin: { channel: "a", id: "a" },
  allowedPaths: ["/a"],
  allowedHosts: ["a"],
  allowedTools: ["look"],
  blockedTools: [],
  limits: [],
};

test.for<[string, CallContext]>([
  ["scope", { scope: "b" }],
  ["agent", { agentId: "b" }],
  ["user", { userId: "b" }],
  ["task", { taskId: "b" }],
  ["project", { project: "/b" }],
  ["session", { origin: { channel: "a", id: "a", session: "b" } }],
  ["folders", { allowedPaths: ["/a", "/b"] }],
  ["hosts", { allowedHosts: ["b"] }],
  ["tools", { allowedTools: ["*"] }],
  ["blocked tools", { blockedTools: ["other"] }],
  ["limits", { limits: [{ by: "b" }] }],
  ["mode", { mode: "auto" }],
  ["trust", { trust: "untrusted" }],
  ["approver", { approver: { identity: "b", ask: async () => ({ approved: true, by: "b" }) } }],
])("a call of another %s runs the tool itself", async ([, other]) => {
  const { tool, works } = makeTool();
  const { executor } = createTestExecutor([tool]);
  const calls = [
    executor.run("look", { n: 1 }, { ...base }),
    executor.run("look", { n: 1 }, { ...base, allowedPaths: ["/a"] }),
    executor.run("look", { n: 1 }, { ...base, ...other }),
  ];
  await settle();
  expect(works).toHaveLength(2);
  for (const { end } of works) end("it");
  await Promise.all(calls);
});

test.for<[string, Partial<Tool>, object]>([
  ["with other arguments", {}, { n: 2 }],
  ["of a tool that may change something", { annotations: { idempotent: true } }, { n: 1 }],
  ["of a tool that gives something else each time", { annotations: { readOnly: true } }, { n: 1 }],
  ["of a tool that waits or polls", { mayRepeat: true }, { n: 1 }],
  ["of a tool that has secrets", { secrets: ["KEY"] }, { n: 1 }],
  ["of a tool that calls others", { composes: true }, { n: 1 }],
  ["with secret arguments", { secretParams: ["key"] }, { n: 1, key: "1234" }],
])("a call %s runs the tool itself", async ([, over, params]) => {
  const { tool, works } = makeTool(over);
  const { executor } = createTestExecutor([tool]);
  const key = "key" in params ? { key: "1234" } : {};
  const calls = [executor.run("look", { n: 1, ...key }), executor.run("look", params)];
  await settle();
  expect(works).toHaveLength(2);
  for (const { end } of works) end("it");
  await Promise.all(calls);
});

test("a call that begins after a change is not joined to one that began before it", async () => {
  const { tool, works } = makeTool();
  const change = defineTool({
    name: "change",
    description: "Do.",
    parameters: z.object({}),
    execute: () => "done",
  });
  const { executor } = createTestExecutor([tool, change]);
  const before = executor.run("look", { n: 1 });
  await settle();
  await executor.run("change", {});
  const after = [executor.run("look", { n: 1 }), executor.run("look", { n: 1 })];
  await settle();
  expect(works).toHaveLength(2);
  works[0]?.end("old");
  works[1]?.end("new");
  expect([await before, ...(await Promise.all(after))].map(({ text }) => text)).toEqual([
    "old",
    "new",
    "new",
  ]);
});

test("the end of an older call leaves a newer one to be joined", async () => {
  const { tool, works } = makeTool();
  const { executor } = createTestExecutor([tool]);
  const other = executor.run("look", { n: 2 });
  const first = executor.run("look", { n: 1 });
  await settle();
  works[0]?.end("other");
  await other;
  const second = executor.run("look", { n: 1 });
  await settle();
  expect(works).toHaveLength(2);
  works[1]?.end("it");
  expect(await Promise.all([first, second])).toMatchObject([{ result: "it" }, { result: "it" }]);
});

test("what an inner call of the tool brought from outside makes the results of all untrusted", async () => {
  const fetched = defineTool({
    name: "fetched",
    description: "Get a page.",
    parameters: z.object({}),
    effects: () => [{ kind: "connect" as const, target: "https://example.com", within: true }],
    execute: () => "a page",
  });
  const { tool } = makeTool({
    execute: async (_: never, { call }: ToolContext) => {
      await settle();
      return (await call("fetched", {})).text;
    },
  });
  const { executor } = createTestExecutor([tool, fetched]);
  const results = await Promise.all([executor.run("look", { n: 1 }), executor.run("look", { n: 1 })]);
  expect(results).toMatchObject([
    { text: "a page", trust: "untrusted" },
    { text: "a page", trust: "untrusted" },
  ]);
});
