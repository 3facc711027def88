import { expect, test } from "vitest";
import { z } from "zod";
import { answering } from "../../../test/support/questions.ts";
import { createTestExecutor, RecordingLedger, settle } from "../../../test/support/test-executor.ts";
import type { Approver } from "../policy/approval.ts";
import type { Trust } from "../policy/trust.ts";
import { unwrapCallTool } from "../registry/interaction/call-tool.ts";
import { ToolInteraction } from "../registry/interaction/tool-interaction.ts";
import type { Effect } from "../tool/effect.ts";
import { defineTool, type Tool } from "../tool/tool.ts";
import type { CallContext, InnerCallOptions, ToolContext } from "./context.ts";
import { createCall } from "./create-call.ts";
import type { ToolEvent } from "./events.ts";
import { OuterCall } from "./inner-call.ts";
import type { ToolResult } from "./result.ts";

type Body = (context: ToolContext) => Promise<unknown>;

/** A tool that only calls others. */
function composed(name: string, body: Body, more: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({
      name,
      description: `${name}.`,
      parameters: z.object({}),
      composes: true,
      execute: (_params, context) => body(context),
    }),
    ...more,
  };
}

const page: Effect = { kind: "connect", target: "https://example.com", within: true };

/** Says a text, as from a page. */
const fetchPage = defineTool({
  name: "fetch_page",
  description: "Fetch.",
  parameters: z.object({}),
  effects: () => [page],
  execute: () => "a page that somebody outside has written, with a sentence that is long enough",
});

const say = defineTool({
  name: "say",
  description: "Say.",
  parameters: z.object({ text: z.string() }),
  annotations: { readOnly: true, openWorld: false },
  execute: ({ text }) => `said ${text}`,
});

const danger: Effect = { kind: "run", target: "make", within: false };
const runMake = defineTool({
  name: "run_make",
  description: "Run make.",
  parameters: z.object({}),
  effects: () => [danger],
  execute: () => "made",
});

const calls =
  (name: string, params: unknown = {}, options?: InnerCallOptions): Body =>
  (context) =>
    context.call(name, params, options);

test("ToolContext.call() takes a call through the gate: its validation, its rules, its ledger, its events", async () => {
  const ledger = new RecordingLedger();
  const { executor } = createTestExecutor(
    [
      composed("outer", async (context) => [
        await context.call("say", { text: "a" }),
        await context.call("say", {}),
      ]),
      say,
    ],
    { ledger, rules: [{ decision: "allow", tool: "say" }] },
  );
  const events: ToolEvent[] = [];
  executor.events.on((event) => events.push(event));
  const result = await executor.run("outer", {}, { taskId: "t" });
  const [done, refused] = (result.success ? result.result : []) as ToolResult[];
  expect(done).toMatchObject({ success: true, toolName: "say", result: "said a" });
  expect(refused).toMatchObject({ success: false, code: "TOOL_VALIDATION" });
  expect(events.map(({ code, toolName }) => `${code} ${toolName}`)).toEqual([
    "400 outer",
    "400 say",
    "410 say",
    "400 say",
    "420 say",
    "410 outer",
  ]);
  const ends = ledger.entries.flatMap((entry) => ("ended" in entry ? [entry] : []));
  expect(ends.map(({ ended }) => [ended.toolName, ended.taskId])).toEqual([
    ["say", "t"],
    ["say", "t"],
    ["outer", "t"],
  ]);
  expect(ends[0]?.ended).toMatchObject({ parentCallId: result.callId, rootCallId: result.callId });
});

test("ToolContext.call() leaves a call to the lists, the rules and the mode of its caller", async () => {
  const outer = composed("outer", calls("say", { text: "a" }));
  const { executor } = createTestExecutor([outer, say], { rules: [{ decision: "allow" }] });
  const inner = async (context: Parameters<typeof executor.execute>[2]) => {
    const result = await executor.execute("outer", {}, context);
    return result.success ? (result.result as ToolResult) : result;
  };
  expect(await inner({ blockedTools: ["say"] })).toMatchObject({
    toolName: "say",
    code: "TOOL_NOT_CALLABLE",
  });
  expect(await inner({ allowedTools: ["outer"] })).toMatchObject({
    toolName: "say",
    code: "TOOL_NOT_CALLABLE",
  });
  expect(await inner({})).toMatchObject({ success: true });
});

test("OuterCall.contextFor() hands on whose the call is and what it may do, and nothing that is its alone", () => {
  const handedOn: CallContext = {
    scope: "s",
    taskId: "t",
    agentId: "a",
    userId: "u",
    origin: { channel: "mcp" },
    allowedPaths: ["/p"],
    allowedHosts: ["h"],
    blockedTools: ["x"],
    mode: "plan",
    goal: "g",
  };
  const { signal } = new AbortController();
  const context = { ...handedOn, callId: "c9", timeoutMs: 5, onUpdate: () => {}, signal };
  const names = { toolName: "outer", entryName: "outer" };
  const valid = createCall(names, {}, context, { id: "c9", startedAt: 0 })
    .find(say, createTestExecutor([say]).executor.toolset())
    .accept({});
  const resolve = (trust: Trust) => valid.trace({ trust, discloses: false, taints: [] }).resolve([]);
  const outer = new OuterCall(resolve("trusted"));
  expect(outer.contextFor({})).toEqual(handedOn);
  expect(outer.contextFor({ timeoutMs: 7, trust: "untrusted" })).toEqual({
    ...handedOn,
    timeoutMs: 7,
    trust: "untrusted",
  });
  // As its arguments turned out, whatever its context says.
  expect(new OuterCall(resolve("untrusted")).contextFor({})).toEqual({ ...handedOn, trust: "untrusted" });
});

test("a tool that only calls others is judged by rules that name it, and by no others", async () => {
  const outer = composed("outer", calls("say", { text: "a" }));
  const decide = async (rules: Parameters<typeof createTestExecutor>[1]) =>
    (await createTestExecutor([outer, say], rules).executor.execute("outer", {})).success;
  expect(await decide({ rules: [] })).toBe(true);
  expect(await decide({ rules: [{ decision: "deny", annotations: { readOnly: false } }] })).toBe(true);
  expect(await decide({ rules: [], mode: "plan" })).toBe(true);
  expect(await decide({ rules: [{ decision: "deny", tool: "out*" }] })).toBe(false);
  expect(await decide({ rules: [{ decision: "deny", category: "custom" }] })).toBe(false);
});

test("what a call brings from outside makes the result of the call that made it untrusted", async () => {
  const counts = composed("counts", async (context) => {
    const result = await context.call("fetch_page", {});
    return result.text.length;
  });
  const { executor } = createTestExecutor([
    counts,
    composed("clean", calls("say", { text: "a" })),
    fetchPage,
    say,
  ]);
  expect((await executor.execute("clean", {})).trust).toBe("trusted");
  expect((await executor.execute("counts", {})).trust).toBe("untrusted");
});

test("arguments that the caller of a call calls untrusted are, whatever they look like", async () => {
  const outer = composed("outer", calls("run_make", {}, { trust: "untrusted" }));
  const approver = answering({ approved: true, by: "ann" });
  const rules = [{ decision: "allow" as const }, { decision: "ask" as const, trust: "untrusted" as const }];
  const { executor } = createTestExecutor([outer, runMake], { rules, approver });
  await executor.execute("outer", {});
  expect(approver.asked).toMatchObject([{ toolName: "run_make" }]);
  expect(approver.asked[0]?.reason).toContain('made by "outer" with data from outside');
});

test("while calls of it wait for a person, the time of a call stands still and others have its place", async () => {
  let answer: (yes: boolean) => void = () => {};
  const approver: Approver = {
    identity: "ann",
    ask: () => new Promise((resolve) => (answer = (approved) => resolve({ approved, by: "ann" }))),
  };
  const outer = composed("outer", calls("run_make"), { timeoutMs: 1000 });
  const { executor, clock } = createTestExecutor([outer, runMake, say], {
    rules: [{ decision: "allow", tool: "say" }],
    approver,
    maxConcurrent: 1,
  });
  const result = executor.execute("outer", {});
  await settle();
  expect((await executor.execute("say", { text: "b" })).success).toBe(true);
  await clock.advance(60_000);
  answer(true);
  expect(await result).toMatchObject({ success: true, result: { success: true, result: "made" } });
});

test("the time of a call stands still until the last of its calls that wait for a person is answered", async () => {
  const answers: (() => void)[] = [];
  const approver: Approver = {
    identity: "ann",
    ask: () => new Promise((resolve) => answers.push(() => resolve({ approved: true, by: "ann" }))),
  };
  const both: Body = ({ call }) => Promise.all([call("run_make", {}), call("run_make", {})]);
  const outer = composed("outer", both, { timeoutMs: 1000 });
  const { executor, clock } = createTestExecutor([outer, runMake], { rules: [], approver });
  const result = executor.execute("outer", {});
  await settle();
  expect(answers).toHaveLength(2);
  answers[0]?.();
  await settle();
  await clock.advance(60_000);
  answers[1]?.();
  expect(await result).toMatchObject({ success: true, result: [{ success: true }, { success: true }] });
});

test("the time of a call goes on while calls of it run, and they end with it", async () => {
  let stopped = false;
  const slow = defineTool({
    name: "slow",
    description: "Slow.",
    parameters: z.object({}),
    execute: (_params, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          stopped = true;
          reject(signal.reason as Error);
        }),
      ),
  });
  const outer = composed("outer", calls("slow"), { timeoutMs: 1000 });
  const { executor, clock } = createTestExecutor([outer, slow]);
  const result = executor.execute("outer", {});
  await settle();
  await clock.advance(1000);
  expect(await result).toMatchObject({ code: "TOOL_TIMEOUT", toolName: "outer" });
  expect(stopped).toBe(true);
});

test("as many calls as there are places may each make calls: none waits for itself", async () => {
  const outer = composed("outer", async (context) => (await context.call("say", { text: "a" })).success);
  const { executor } = createTestExecutor([outer, say], { maxConcurrent: 2 });
  const results = await Promise.all(Array.from({ length: 8 }, () => executor.execute("outer", {})));
  expect(results.map((one) => one.success && one.result)).toEqual(Array.from({ length: 8 }, () => true));
});

test("a call that calls itself without end is refused at the sixth", async () => {
  let depth = 0;
  const outer = composed("outer", async (context) => {
    depth++;
    const result = await context.call("outer", {});
    return result.success ? result.result : result.error;
  });
  const { executor } = createTestExecutor([outer]);
  const result = await executor.execute("outer", {});
  expect(depth).toBe(6);
  expect(result.success && result.result).toContain('Cannot call "outer" from within 6 calls');
});

test("a call made after its outer call has ended is refused", async () => {
  let kept: ToolContext | undefined;
  const outer = composed("outer", async (context) => {
    kept = context;
    return "done";
  });
  const { executor } = createTestExecutor([outer, say]);
  await executor.execute("outer", {});
  expect(await kept?.call("say", { text: "a" })).toMatchObject({ success: false, code: "TOOL_CANCELLED" });
});

test("the result of an inner call may be longer than a model reads", async () => {
  const long = defineTool({
    name: "long",
    description: "Long.",
    parameters: z.object({}),
    execute: () => "x".repeat(100_000),
  });
  const length =
    (options?: InnerCallOptions): Body =>
    async (context) => {
      const result = await context.call("long", {}, options);
      return result.text.length;
    };
  const { executor } = createTestExecutor([
    composed("short", length()),
    composed("whole", length({ maxOutputChars: 200_000 })),
    long,
  ]);
  expect(await executor.execute("short", {})).toMatchObject({
    result: expect.toSatisfy((length) => length < 25_000),
  });
  expect(await executor.execute("whole", {})).toMatchObject({ result: 100_000 });
});

const callTool = defineTool({
  name: "call_tool",
  description: "Call.",
  parameters: z.object({ name: z.string(), arguments: z.unknown() }),
  unwrap: (params) => {
    const { name, arguments: given } = Object(params) as {
      readonly name?: unknown;
      readonly arguments?: unknown;
    };
    return typeof name === "string" ? { name, params: given } : undefined;
  },
  execute: () => "never",
});

test("a call that stands for another is that one, to rules, hooks, ledger, events and statistics", async () => {
  const ledger = new RecordingLedger();
  const seen: string[] = [];
  const { executor, registry } = createTestExecutor([callTool, say], {
    ledger,
    hooks: [{ name: "see", before: ({ tool }) => void seen.push(tool.name) }],
    rules: [{ decision: "allow", tool: "say" }],
  });
  executor.events.on(({ toolName }) => seen.push(toolName));
  const wrapped = { name: "call_tool", arguments: { name: "say", arguments: { text: "a" } } };
  const result = await executor.run("call_tool", wrapped);
  expect(result).toMatchObject({ success: true, toolName: "say", result: "said a" });
  expect(seen).toEqual(["say", "say", "say"]);
  expect(ledger.entries.map((entry) => ("ended" in entry ? entry.ended : entry.started).toolName)).toEqual([
    "say",
    "say",
  ]);
  expect(Object.keys(registry.getStats().callStats)).toEqual(["say"]);
});

test.for([
  { params: {}, code: "TOOL_VALIDATION" },
  { params: { name: "sya", arguments: {} }, code: "TOOL_NOT_FOUND" },
  { params: { name: "say", arguments: {} }, code: "TOOL_VALIDATION" },
])("a call that stands for $params is refused with $code", async ({ params, code }) => {
  const { executor } = createTestExecutor([callTool, say]);
  expect(await executor.execute("call_tool", params)).toMatchObject({ success: false, code });
});

test("a call that stands for another may go on with what was loaded before it", async () => {
  const unwrapped = { ...callTool, unwrap: unwrapCallTool };
  const { executor } = createTestExecutor([unwrapped, say]);
  const wrapped = { name: "say", arguments: { text: "a" } };
  const call = (params: unknown) => {
    const interaction = new ToolInteraction({
      toolset: () => executor.toolset({}),
      core: ["call_tool"],
      callHidden: false,
    });
    return executor.execute("call_tool", params, { interaction });
  };
  expect(await call(wrapped)).toMatchObject({ code: "TOOL_NOT_CALLABLE" });
  expect(await call({ ...wrapped, toolset: "say" })).toMatchObject({ success: true, toolName: "say" });
});
