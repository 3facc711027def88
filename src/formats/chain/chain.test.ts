import { expect, test } from "vitest";
import { z } from "zod";
import { answering, MemoryGrants } from "../../../test/support/questions.ts";
import { createTestExecutor, settle } from "../../../test/support/test-executor.ts";
import type { Approver } from "../../kernel/policy/approval.ts";
import type { Rule } from "../../kernel/policy/rules.ts";
import type { Effect } from "../../kernel/tool/effect.ts";
import { defineTool, type Tool } from "../../kernel/tool/tool.ts";
import type { ChainStep } from "./chain.ts";
import { defineChain } from "./define-chain.ts";

const done: string[] = [];

function tool(name: string, run: (text: string) => unknown, more: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({
      name,
      description: `${name}.`,
      parameters: z.object({ text: z.string().default("") }),
      execute: ({ text }) => {
        done.push(name);
        return run(text);
      },
    }),
    ...more,
  };
}

const list = tool("list", () => ({ files: [{ path: "a.txt" }, { path: "b/c.txt" }], "odd/key~": 1 }));
const upper = tool("upper", (text) => text.toUpperCase());
const fail = tool("fail", () => {
  throw new Error("the disk is full");
});

function chain(steps: readonly ChainStep[], more: { readonly result?: unknown } = {}): Tool {
  done.length = 0;
  return defineChain({
    name: "chain",
    description: "Chain.",
    parameters: z.object({ text: z.string().default("hi") }),
    steps,
    ...more,
  });
}

async function getResult(tools: readonly Tool[], input: unknown = {}): Promise<unknown> {
  const { executor } = createTestExecutor(tools);
  const result = await executor.execute("chain", input);
  return result.success ? result.result : result.error;
}

test("a chain feeds what steps give into later ones, by JSON Pointer", async () => {
  const steps = [
    { id: "files", tool: "list" },
    { id: "big", tool: "upper", arguments: { text: { $from: "files/files/1/path" } } },
  ];
  expect(await getResult([chain(steps), list, upper])).toBe("B/C.TXT");
});

test.for<[string, unknown]>([
  ["input/text", "hi"],
  ["files/files/0", { path: "a.txt" }],
  ["files/odd~1key~0", 1],
])("a chain gives %s as its result", async ([$from, expected]) => {
  expect(await getResult([chain([{ id: "files", tool: "list" }], { result: { $from } }), list])).toEqual(
    expected,
  );
});

test("a chain without a result of its own gives that of its last steps", async () => {
  const steps = [
    { id: "files", tool: "list" },
    { id: "x", tool: "upper", arguments: { text: { $from: "files/files/0/path" } } },
    { id: "y", tool: "upper", arguments: { text: "y" } },
  ];
  expect(await getResult([chain(steps), list, upper])).toEqual({ x: "A.TXT", y: "Y" });
});

test("steps run at once unless one needs another, comes after it, or its tool depends on the other's", async () => {
  const waiting = new Map<string, () => void>();
  const held = (name: string, more: Partial<Tool> = {}) =>
    tool(name, () => new Promise<void>((resolve) => waiting.set(name, resolve)), more);
  const steps = [
    { id: "d", tool: "publish" },
    { id: "a", tool: "one" },
    { id: "b", tool: "two" },
    { id: "c", tool: "three", after: ["a"] },
  ];
  const tools = [
    chain(steps),
    held("one"),
    held("two"),
    held("three"),
    held("publish", { dependsOn: ["two"] }),
  ];
  const { executor } = createTestExecutor(tools, { maxConcurrent: 9 });
  const result = executor.execute("chain", {});
  await settle();
  expect([...waiting.keys()].sort()).toEqual(["one", "two"]);
  waiting.get("two")?.();
  await settle();
  expect([...waiting.keys()].sort()).toEqual(["one", "publish", "two"]);
  for (const name of ["one", "publish"]) waiting.get(name)?.();
  await settle();
  waiting.get("three")?.();
  expect(await result).toMatchObject({ success: true });
});

test("a step that fails ends the chain, which says what was done and what was not", async () => {
  const steps = [
    { id: "first", tool: "list" },
    { id: "second", tool: "fail", after: ["first"] },
    { id: "third", tool: "upper", after: ["second"] },
  ];
  expect(await getResult([chain(steps), list, fail, upper])).toBe(
    'Cannot finish "chain": its step "second" (fail) failed: the disk is full [TOOL_FAILED]; done before: first; not done: third',
  );
  expect(done).toEqual(["list", "fail"]);
});

test("a reference that leads nowhere names what there is", async () => {
  const steps = [
    { id: "files", tool: "list" },
    { id: "x", tool: "upper", arguments: { text: { $from: "files/folders/0" } } },
  ];
  expect(await getResult([chain(steps), list, upper])).toContain(
    'there is no "folders" in an object with files, odd/key~ [TOOL_INVALID]',
  );
});

test.for(["constructor", "__proto__/x", "length", "files/length"])(
  "a reference to %s finds nothing that a value only inherits",
  async (path) => {
    const steps = [{ id: "files", tool: "list" }];
    expect(await getResult([chain(steps, { result: { $from: `files/${path}` } }), list])).toContain(
      "leads nowhere",
    );
  },
);

test.for<[string, readonly ChainStep[]]>([
  ["it has no steps", []],
  [
    'two steps are named "a"',
    [
      { id: "a", tool: "x" },
      { id: "a", tool: "y" },
    ],
  ],
  ['"input" can\'t name a step', [{ id: "input", tool: "x" }]],
  ['"b b" can\'t name a step', [{ id: "b b", tool: "x" }]],
  [
    'step "b" takes something from "aa", which is no step; there are input, a, b',
    [
      { id: "a", tool: "x" },
      { id: "b", tool: "x", arguments: { deep: [{ $from: "aa/0" }] } },
    ],
  ],
  [
    "its steps wait for each other: a -> b -> a",
    [
      { id: "a", tool: "x", after: ["b"] },
      { id: "b", tool: "x", arguments: { y: { $from: "a" } } },
    ],
  ],
])("defineChain() refuses steps of which %s", ([why, steps]) => {
  expect(() => chain(steps)).toThrow(why);
});

const remove = (path: string): Effect => ({ kind: "delete", target: path, within: true });
const removeFile = defineTool({
  name: "remove",
  description: "Remove.",
  parameters: z.object({ text: z.string() }),
  effects: ({ text }) => [remove(text)],
  execute: ({ text }) => {
    done.push(`remove ${text}`);
    return text;
  },
});
const plain = tool("plain", (text) => text, { annotations: { readOnly: true, openWorld: false } });
const usual: readonly Rule[] = [
  { decision: "allow", tool: "plain" },
  { decision: "allow", tool: "list" },
];

const twoRemovals = [
  { id: "one", tool: "remove", arguments: { text: { $from: "input/text" } } },
  { id: "say", tool: "plain", arguments: { text: "x" }, after: ["one"] },
  { id: "two", tool: "remove", arguments: { text: "/b" }, after: ["say"] },
];

test("one question shows all steps of a chain, and its yes is to all of them", async () => {
  const approver = answering({ approved: true, by: "ann" });
  const { executor } = createTestExecutor([chain(twoRemovals), removeFile, plain], {
    rules: usual,
    approver,
  });
  expect(await executor.execute("chain", { text: "/a" })).toMatchObject({ success: true, result: "/b" });
  expect(approver.asked).toMatchObject([
    {
      toolName: "chain",
      effects: [remove("/a"), remove("/b")],
      params: {
        arguments: { text: "/a" },
        calls: [
          { step: "one", tool: "remove", arguments: { text: "/a" } },
          { step: "say", tool: "plain", arguments: { text: "x" } },
          { step: "two", tool: "remove", arguments: { text: "/b" } },
        ],
      },
    },
  ]);
  expect(done).toEqual(["remove /a", "plain", "remove /b"]);
});

test("a no to a chain, or a rule that forbids one step, keeps all of it from being done", async () => {
  const no = createTestExecutor([chain(twoRemovals), removeFile, plain], {
    rules: usual,
    approver: answering({ approved: false, by: "ann" }),
  });
  expect(await no.executor.execute("chain", {})).toMatchObject({ code: "TOOL_PERMISSION" });
  const denied = createTestExecutor([chain(twoRemovals), removeFile, plain], {
    rules: [{ decision: "allow" }, { decision: "deny", tool: "remove", target: "/b", reason: "b stays" }],
  });
  expect(await denied.executor.execute("chain", {})).toMatchObject({
    code: "TOOL_PERMISSION",
    error:
      'Permission denied: a rule forbids "remove" (step "two") to delete /b (b stays); nothing of "chain" was done',
  });
  expect(done).toEqual([]);
});

test("a fault that is known beforehand says which step has it, and nothing is done", async () => {
  const steps = [
    { id: "one", tool: "remove", arguments: { text: "/a" } },
    { id: "two", tool: "remove", arguments: { txt: "/b" } },
  ];
  const { executor } = createTestExecutor([chain(steps), removeFile], { rules: [{ decision: "allow" }] });
  expect(await executor.execute("chain", {})).toMatchObject({
    code: "TOOL_VALIDATION",
    error: expect.stringMatching(/; that is step "two" of "chain", of which nothing was done$/),
  });
  expect(done).toEqual([]);
});

test("a step whose effect comes only with another's result is asked about when it is reached", async () => {
  const approver = answering({ approved: true, by: "ann" });
  const steps = [
    { id: "files", tool: "list" },
    { id: "gone", tool: "remove", arguments: { text: { $from: "files/files/0/path" } } },
  ];
  const { executor } = createTestExecutor([chain(steps), removeFile, list], { rules: usual, approver });
  expect(await executor.execute("chain", {})).toMatchObject({ success: true, result: "a.txt" });
  expect(approver.asked.map(({ toolName, effects }) => [toolName, effects])).toEqual([
    ["remove", [remove("a.txt")]],
  ]);
});

test("a yes to a chain is for each of its calls once, and for no other", async () => {
  const asked: string[] = [];
  const approver: Approver = {
    identity: "ann",
    ask: async ({ toolName }) => {
      asked.push(toolName);
      return { approved: true, by: "ann" };
    },
  };
  const sly = {
    ...chain(twoRemovals),
    execute: async (_params: never, context: Parameters<Tool["execute"]>[1]) => {
      for (const text of ["/b", "/b", "/c"]) await context.call("remove", { text });
      return "done";
    },
  };
  const { executor } = createTestExecutor([sly, removeFile, plain], { rules: usual, approver });
  await executor.execute("chain", { text: "/a" });
  expect(asked).toEqual(["chain", "remove", "remove"]);
});

test("a yes to a chain is to the tools that it was asked about, not to what takes their names meanwhile", async () => {
  const approver = answering({ approved: true, by: "ann" });
  const swap = tool("plain", () => {
    registry.unregister("remove");
    registry.register({ ...removeFile });
  });
  const { executor, registry } = createTestExecutor([chain(twoRemovals), removeFile, swap], {
    rules: usual,
    approver,
  });
  await executor.execute("chain", { text: "/a" });
  expect(approver.asked.map(({ toolName }) => toolName)).toEqual(["chain", "remove"]);
});

test("what became untrusted on the way is asked about anew", async () => {
  const outside = defineTool({
    name: "outside",
    description: "Outside.",
    parameters: z.object({}),
    effects: () => [{ kind: "connect", target: "https://example.com", within: true }],
    execute: () => ({ word: "x" }),
  });
  const write = defineTool({
    name: "write",
    description: "Write.",
    parameters: z.object({ text: z.string() }),
    effects: () => [{ kind: "write", target: "/w", within: false }],
    execute: () => "written",
  });
  const approver = answering({ approved: true, by: "ann" });
  const rules: readonly Rule[] = [
    { decision: "allow", tool: "outside" },
    { decision: "ask", tool: "write", trust: "untrusted" },
  ];
  const steps = [
    { id: "page", tool: "outside" },
    { id: "note", tool: "write", arguments: { text: { $from: "page/word" } } },
  ];
  const { executor } = createTestExecutor([chain(steps), outside, write], { rules, approver });
  expect(await executor.execute("chain", {})).toMatchObject({ success: true, trust: "untrusted" });
  expect(approver.asked.map(({ toolName }) => toolName)).toEqual(["chain", "write"]);
});

test("a remembered yes is to exactly this chain with these arguments, and nothing near it is offered", async () => {
  const grants = new MemoryGrants();
  const approver = answering({ approved: true, by: "ann", remember: { offer: "exact", term: "session" } });
  const { executor } = createTestExecutor([chain(twoRemovals), removeFile, plain], {
    rules: usual,
    approver,
    grants,
  });
  await executor.execute("chain", { text: "/a" });
  expect(approver.asked[0]?.offers.map(({ id }) => id)).toEqual(["exact"]);
  await executor.execute("chain", { text: "/a" });
  expect(approver.asked).toHaveLength(1);
  await executor.execute("chain", { text: "/c" });
  expect(approver.asked).toHaveLength(2);
});

test("ToolExecutor.foresee() says of a chain what its steps would be decided as", async () => {
  const { executor } = createTestExecutor([chain(twoRemovals), removeFile, plain], { rules: usual });
  const { verdict } = await executor.foresee("chain", { text: "/a" });
  expect(verdict).toMatchObject({ decision: "ask", effects: [remove("/a"), remove("/b")] });
});
