import { describe, expect, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/base/index.ts";
import {
  type Approval,
  type ApprovalAnswer,
  type Approver,
  type CallContext,
  createRedactor,
  defaultRules,
  defineTool,
  type Effect,
  type ExecutorOptions,
  type Rule,
  type Tool,
  ToolContent,
  type ToolResult,
} from "../../src/kernel/index.ts";
import { chainTools } from "../../src/modules/chain/index.ts";
import { selectionTools } from "../../src/modules/finding/tools/index.ts";
import { scriptTools } from "../../src/modules/script/index.ts";
import { MemoryGrants } from "../support/questions.ts";
import { createTestExecutor, RecordingLedger } from "../support/test-executor.ts";

/** What can be seen of one call, whichever way it was made. */
interface Seen {
  /** The result of the tool, or the code it was refused with. */
  readonly outcome: unknown;
  /** What the tool did. */
  readonly done: readonly unknown[];
  /** The effects that a person was asked about, one list a question. */
  readonly asked: readonly (readonly Effect[])[];
  /** What the hooks of this one tool saw. */
  readonly hooked: readonly unknown[];
  /** Of this one tool, as the ledger has it. */
  readonly recorded: readonly unknown[];
  readonly trust: unknown;
}

interface Case {
  readonly name: string;
  readonly params?: unknown;
  readonly options?: (answers: Approver) => ExecutorOptions;
  readonly context?: CallContext;
  readonly answer?: ApprovalAnswer;
  readonly tool?: Partial<Tool>;
  /** What is seen of a direct call: that none of the others differs is worth nothing if this does. */
  readonly expected: Partial<Seen> & { readonly outcome: unknown };
}

const yes: ApprovalAnswer = { approved: true, by: "ann" };
const no: ApprovalAnswer = { approved: false, by: "ann", reason: "not today" };
const allow: Rule = { decision: "allow" };
const write = (target: string, within = true): Effect => ({ kind: "write", target, within });

function actTool(done: unknown[], more: Partial<Tool>): Tool {
  return {
    ...defineTool({
      name: "act",
      description: "Act.",
      pack: "acts",
      parameters: z.object({ path: z.string().default("/w/a"), count: z.int().default(1) }),
      effects: ({ path }) => [write(path, path.startsWith("/w/"))],
      execute: ({ path, count }) => {
        done.push([path, count]);
        return `acted on ${path}`;
      },
    }),
    ...more,
  };
}

const ways: Readonly<
  Record<string, (params: unknown) => { readonly name: string; readonly params: unknown }>
> = {
  "a direct call": (params) => ({ name: "act", params }),
  call_tool: (params) => ({ name: "call_tool", params: { name: "act", arguments: params } }),
  "a chain": (params) => ({
    name: "run_chain",
    params: { steps: [{ id: "one", tool: "act", arguments: params }] },
  }),
  "a script": (params) => ({
    name: "run_script",
    params: {
      code: `try { return { result: await tools.act(${JSON.stringify(params)}) } } catch ({ code }) { return { code } }`,
    },
  }),
};

/** The result, or the code of the refusal, out of what wraps it. */
function getOutcome(result: ToolResult): unknown {
  if (!result.success) return { code: result.details?.["code"] ?? result.code };
  if (result.toolName !== "run_script") return { result: result.result };
  return (result.result as { readonly result: unknown }).result;
}

async function see(way: string, given: Case): Promise<Seen> {
  const done: unknown[] = [];
  const asked: Approval[] = [];
  const hooked: unknown[] = [];
  const approver: Approver = {
    identity: "ann",
    ask: async (approval) => {
      asked.push(approval);
      return given.answer ?? no;
    },
  };
  const ledger = new RecordingLedger();
  const { hooks = [], ...options } = given.options?.(approver) ?? {};
  const nothing = {
    search: async () => ({ found: [], by: "words" as const }),
    findPacks: async () => [],
    learn: async () => {},
  };
  const tools = [
    actTool(done, given.tool ?? {}),
    ...chainTools(),
    ...scriptTools(),
    ...selectionTools({
      search: nothing,
      packs: { list: () => [] },
      registry: { get: () => undefined, getSchema: () => undefined },
    } as never).filter(({ name }) => name === "call_tool"),
  ];
  const { executor } = createTestExecutor(tools, {
    clock: systemClock,
    ledger,
    ...options,
    hooks: [
      {
        name: "see",
        before: ({ tool, params }) => void (tool.name === "act" && hooked.push(params)),
      },
      ...(typeof hooks === "function" ? hooks() : hooks),
    ],
  });
  const { name, params } = (ways[way] as (params: unknown) => { name: string; params: unknown })(
    given.params ?? {},
  );
  const result = await executor.execute(name, params, given.context);
  const ends = ledger.entries.flatMap((entry) =>
    "ended" in entry && entry.ended.toolName === "act" ? [entry] : [],
  );
  return {
    outcome: getOutcome(result),
    done,
    asked: asked.map(({ effects }) => effects),
    hooked,
    recorded: ends.map(({ ended, outcome }) => [ended.decision?.decision, outcome.success, outcome.code]),
    trust: result.trust,
  };
}

const fails = defineTool({
  name: "act",
  description: "Act.",
  parameters: z.object({}),
  execute: () => {
    throw Object.assign(new Error("the disk is full"), { code: "DISK_FULL" });
  },
});

const acted = { result: "acted on /w/a" };
const refused = { code: "TOOL_PERMISSION" };

const cases: readonly Case[] = [
  {
    name: "a rule that allows",
    options: () => ({ rules: [allow] }),
    expected: { outcome: acted, done: [["/w/a", 1]] },
  },
  {
    name: "a rule that denies the tool",
    options: () => ({ rules: [allow, { decision: "deny", tool: "act" }] }),
    expected: { outcome: refused, done: [] },
  },
  {
    name: "a rule that denies the pack",
    options: () => ({ rules: [allow, { decision: "deny", pack: "acts" }] }),
    expected: { outcome: refused, done: [] },
  },
  {
    name: "a rule that denies a target",
    params: { path: "/w/secret/key" },
    options: () => ({ rules: [allow, { decision: "deny", target: "/w/secret/**" }] }),
    expected: { outcome: refused, done: [] },
  },
  {
    name: "a rule that denies an argument",
    params: { count: 9 },
    options: () => ({ rules: [allow, { decision: "deny", arguments: { count: "9" } }] }),
    expected: { outcome: refused, done: [] },
  },
  {
    name: "a rule by agent",
    context: { agentId: "writer" },
    options: () => ({ rules: [allow, { decision: "deny", tool: "act", agent: "writer" }] }),
    expected: { outcome: refused, done: [] },
  },
  {
    name: "a rule by channel",
    context: { origin: { channel: "telegram" } },
    options: () => ({ rules: [allow, { decision: "deny", tool: "act", channel: "telegram" }] }),
    expected: { outcome: refused, done: [] },
  },
  {
    name: "a rule for what strangers ask",
    context: { trust: "untrusted" },
    options: () => ({ rules: [allow, { decision: "deny", tool: "act", trust: "untrusted" }] }),
    expected: { outcome: refused, done: [] },
  },
  {
    name: "the usual rules, and a yes",
    params: { path: "/etc/a" },
    answer: yes,
    options: (approver) => ({ rules: defaultRules, approver }),
    expected: {
      outcome: { result: "acted on /etc/a" },
      done: [["/etc/a", 1]],
      asked: [[write("/etc/a", false)]],
    },
  },
  {
    name: "the usual rules, and a no",
    params: { path: "/etc/a" },
    answer: no,
    options: (approver) => ({ rules: defaultRules, approver }),
    expected: { outcome: refused, done: [], asked: [[write("/etc/a", false)]] },
  },
  {
    name: "the usual rules, and nobody to ask",
    params: { path: "/etc/a" },
    options: () => ({ rules: defaultRules }),
    expected: { outcome: refused, done: [], asked: [] },
  },
  {
    name: "the usual rules, within the bounds",
    options: () => ({ rules: defaultRules }),
    expected: { outcome: acted, asked: [] },
  },
  {
    name: "a tool that wants each call confirmed",
    tool: { confirm: true },
    answer: yes,
    options: (approver) => ({ rules: [allow], approver }),
    expected: { outcome: acted, asked: [[write("/w/a")]] },
  },
  {
    name: "a tool that names no effects",
    tool: { effects: () => [] },
    answer: yes,
    options: (approver) => ({ rules: defaultRules, approver }),
    expected: { outcome: acted, asked: [[]] },
  },
  {
    name: "mode plan",
    options: () => ({ mode: "plan", rules: [allow] }),
    expected: { outcome: refused, done: [] },
  },
  {
    name: "mode plan, and a tool that reads",
    tool: { effects: () => [{ kind: "read", target: "/w/a", within: true }] },
    options: () => ({ mode: "plan", rules: [allow] }),
    expected: { outcome: acted },
  },
  {
    name: "mode locked",
    params: { path: "/etc/a" },
    answer: yes,
    options: (approver) => ({ mode: "locked", rules: defaultRules, approver }),
    expected: { outcome: refused, done: [], asked: [] },
  },
  {
    name: "the mode of the call",
    context: { mode: "plan" },
    options: () => ({ rules: [allow] }),
    expected: { outcome: refused, done: [] },
  },
  {
    name: "a list of blocked tools",
    context: { blockedTools: ["act"] },
    options: () => ({ rules: [allow] }),
    expected: { outcome: { code: "TOOL_NOT_CALLABLE" }, done: [] },
  },
  {
    name: "a list of allowed tools",
    context: { allowedTools: ["run_*", "call_tool"] },
    options: () => ({ rules: [allow] }),
    expected: { outcome: { code: "TOOL_NOT_CALLABLE" }, done: [] },
  },
  {
    name: "a list of the agent's, whatever the call brings",
    options: () => {
      const limits = [{ by: "the agent", blockedTools: ["a*"] }];
      return { rules: [allow], limits: () => limits };
    },
    expected: { outcome: { code: "TOOL_NOT_CALLABLE" }, done: [] },
  },
  {
    name: "a before-hook that blocks",
    options: () => ({
      rules: [allow],
      hooks: [{ name: "other", before: ({ tool }) => (tool.name === "act" ? { block: "no" } : undefined) }],
    }),
    expected: { outcome: { code: "TOOL_BLOCKED" }, done: [] },
  },
  {
    name: "a before-hook that changes the arguments",
    options: () => ({
      rules: [allow],
      hooks: [
        {
          name: "other",
          before: ({ tool }) => (tool.name === "act" ? { params: { path: "/w/b", count: 2 } } : undefined),
        },
      ],
    }),
    expected: { outcome: { result: "acted on /w/b" }, done: [["/w/b", 2]] },
  },
  {
    name: "a before-hook whose change the rules forbid",
    options: () => ({
      rules: [allow, { decision: "deny", target: "/etc/**" }],
      hooks: [
        {
          name: "other",
          before: ({ tool }) => (tool.name === "act" ? { params: { path: "/etc/b" } } : undefined),
        },
      ],
    }),
    expected: { outcome: refused, done: [] },
  },
  {
    name: "an after-hook that withholds",
    options: () => ({
      rules: [allow],
      hooks: [
        { name: "other", after: ({ tool }) => (tool.name === "act" ? { block: "not for you" } : undefined) },
      ],
    }),
    expected: { outcome: { code: "TOOL_WITHHELD" }, done: [["/w/a", 1]] },
  },
  {
    name: "arguments that are invalid",
    params: { count: "many" },
    options: () => ({ rules: [allow] }),
    expected: { outcome: { code: "TOOL_VALIDATION" }, done: [] },
  },
  {
    name: "arguments that can be put right",
    params: { count: "7" },
    options: () => ({ rules: [allow] }),
    expected: { outcome: acted, done: [["/w/a", 7]] },
  },
  {
    name: "a tool that fails",
    tool: { parameters: fails.parameters, effects: () => [], execute: fails.execute },
    options: () => ({ rules: [allow] }),
    expected: { outcome: { code: "DISK_FULL" } },
  },
  {
    name: "a tool that takes too long",
    tool: {
      timeoutMs: 50,
      execute: (_params, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    },
    options: () => ({ rules: [allow] }),
    expected: { outcome: { code: "TOOL_TIMEOUT" } },
  },
  {
    name: "a tool whose schema can't be used",
    tool: { parameters: { type: "object", properties: { a: { $ref: "#/nowhere" } } } },
    options: () => ({ rules: [allow] }),
    expected: { outcome: { code: "TOOL_QUARANTINED" }, done: [] },
  },
  {
    name: "a ledger that can't write",
    options: () => ({
      rules: [allow],
      ledger: {
        start: async ({ toolName }) => {
          if (toolName === "act") throw new Error("the disk is full");
        },
        end: async () => {},
      },
    }),
    expected: { outcome: { code: "TOOL_UNRECORDED" }, done: [] },
  },
  {
    name: "a secret in what comes back",
    tool: { execute: () => "the key is s3cr3t-value-of-length" },
    options: () => ({ rules: [allow], redact: createRedactor(new Map([["KEY", "s3cr3t-value-of-length"]])) }),
    expected: { outcome: { result: "the key is [redacted:KEY]" } },
  },
  {
    name: "a result from outside",
    tool: { effects: () => [{ kind: "connect", target: "https://a.example", within: true }] },
    options: () => ({ rules: [allow] }),
    expected: { outcome: acted, trust: "untrusted" },
  },
  {
    name: "a result that says it is from outside",
    tool: { execute: () => new ToolContent([{ type: "text", text: "words" }], { words: 1 }, "untrusted") },
    options: () => ({ rules: [allow] }),
    expected: { outcome: { result: { words: 1 } }, trust: "untrusted" },
  },
];

describe.for(cases)("$name", (given) => {
  test("is as expected for a direct call", async () => {
    expect(await see("a direct call", given)).toMatchObject(given.expected);
  });

  test.for(Object.keys(ways).filter((way) => way !== "a direct call"))(
    "is the same through %s",
    async (way) => {
      expect(comparable(await see(way, given), way)).toEqual(
        comparable(await see("a direct call", given), way),
      );
    },
  );
});

/**
 * Two things differ by intention. A chain is decided before its first call is made: what rules or people refuse then is
 * recorded as the chain's, and no hook sees it. Nobody is asked about it twice all the same.
 */
function comparable(seen: Seen, way: string): Partial<Seen> {
  if (way !== "a chain" || seen.done.length > 0) return seen;
  const { hooked: _hooked, recorded: _recorded, ...rest } = seen;
  return rest;
}

test.for(Object.keys(ways))("a remembered yes answers a call by %s", async (way) => {
  const grants = new MemoryGrants();
  const asked: string[] = [];
  const approver: Approver = {
    identity: "ann",
    ask: async ({ toolName }) => {
      asked.push(toolName);
      return { approved: true, by: "ann", remember: { offer: "exact", term: "session" } };
    },
  };
  const given: Case = {
    name: "",
    params: { path: "/etc/a" },
    options: () => ({ rules: defaultRules, approver, grants }),
    expected: { outcome: acted },
  };
  await see("a direct call", given);
  await see(way, given);
  expect(asked).toEqual(["act"]);
});
