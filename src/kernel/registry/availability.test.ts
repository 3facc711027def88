import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTestExecutor } from "../../../test/support/test-executor.ts";
import type { CallContext } from "../call/context.ts";
import type { ExecutorOptions } from "../call/executor-options.ts";
import { type Mode, modes } from "../policy/modes.ts";
import type { Rule } from "../policy/rules.ts";
import { defineTool, type Tool } from "../tool/tool.ts";
import type { ToolLimits } from "../tool/tool-limits.ts";

function tool(name: string, more: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({ name, description: `Do ${name}.`, parameters: { type: "object" }, execute: () => name }),
    ...more,
  };
}

const allowAll: Rule = { decision: "allow" };
const ofAgent = (name: string, lists: Omit<ToolLimits, "by">): ToolLimits => ({
  by: `the agent "${name}"`,
  ...lists,
});

function limited(tools: readonly Tool[], limits: readonly ToolLimits[], options: ExecutorOptions = {}) {
  return createTestExecutor(tools, { rules: [allowAll], limits: () => limits, ...options });
}

describe("lists", () => {
  test("a block wins over every list that allows, and says what to change and where", async () => {
    const place = 'agents.architect in "haft.config.yml"';
    const { executor } = limited(
      [tool("bash"), tool("read"), tool("bash_more")],
      [{ by: 'the agent "architect"', place, blockedTools: ["bash*"], allowedTools: ["*"] }],
    );
    expect(await executor.execute("bash", {}, { allowedTools: ["bash"] })).toMatchObject({
      code: "TOOL_NOT_CALLABLE",
      error: `Cannot call "bash": blockedTools of the agent "architect" has "bash*"; use one of none; to have it, take "bash*" out of blockedTools of ${place}`,
      details: { reasons: ["BLOCKED"], nearest: [] },
    });
    expect(executor.toolset().of("read")).toMatchObject({ shown: { is: true }, allowed: { is: true } });
  });

  test("of several lists that allow each binds, those of the call and those of the executor", async () => {
    const { executor } = limited(
      [tool("a"), tool("b"), tool("c")],
      [ofAgent("x", { allowedTools: ["a", "b"] }), ofAgent("y", { allowedTools: ["b", "c"] })],
    );
    const { toolset } = {
      toolset: (context: CallContext) =>
        executor
          .toolset(context)
          .usable()
          .map(({ name }) => name),
    };
    expect(toolset({})).toEqual(["b"]);
    expect(toolset({ allowedTools: ["a", "c"] })).toEqual([]);
    expect(toolset({ limits: [{ by: "the dispatch", allowedTools: ["?"] }] })).toEqual(["b"]);
    expect(toolset({ blockedTools: ["b"] })).toEqual([]);
    expect(executor.toolset().of("c").allowed).toEqual({
      is: false,
      reasons: [
        {
          code: "NOT_ALLOW_LISTED",
          message: 'it is not among the allowedTools of the agent "x"',
          remedy: 'add "c" to allowedTools, which whoever calls sets',
        },
      ],
    });
  });

  test("an empty list allows nothing, and one that is not there all", () => {
    const { executor } = createTestExecutor([tool("a")]);
    expect(executor.toolset({ allowedTools: [] }).shown()).toEqual([]);
    expect(executor.toolset({ blockedTools: [] }).shown().length).toBe(1);
  });

  test("a hidden tool can be called by name, unless its caller may call only what is shown", async () => {
    const tools = [tool("core"), tool("extra")];
    const open = limited(tools, [ofAgent("x", { shownTools: ["core"] })]).executor;
    expect(open.toolset().of("extra")).toMatchObject({
      shown: { is: false, reasons: [{ code: "HIDDEN" }] },
      callable: { is: true },
      allowed: { is: true },
    });
    expect(await open.execute("extra", {})).toMatchObject({ success: true });
    const closed = limited(tools, [ofAgent("x", { shownTools: ["core"], callHidden: false })]).executor;
    expect(closed.toolset().of("extra").callable).toMatchObject({ is: false });
    expect(await closed.execute("extra", {})).toMatchObject({ code: "TOOL_NOT_CALLABLE" });
    const bound = limited(tools, [ofAgent("x", { shownTools: ["core"], allowedTools: ["core"] })]).executor;
    expect(await bound.execute("extra", {})).toMatchObject({ code: "TOOL_NOT_CALLABLE" });
  });
});

describe("rules and mode", () => {
  const facts = (
    executor: ReturnType<typeof limited>["executor"],
    name: string,
    context: CallContext = {},
  ) => {
    const { shown, callable, allowed } = executor.toolset(context).of(name);
    return [shown.is, callable.is, allowed.is, allowed.reasons[0]?.code];
  };

  test("a rule that denies every call of a tool hides it; one that looks at the call does not", () => {
    const none: readonly ToolLimits[] = [];
    const rules: Rule[] = [
      allowAll,
      { decision: "deny", tool: "a", reason: "no a" },
      { decision: "deny", tool: "b", target: "x" },
      { decision: "deny", tool: "c", agent: "guest*" },
      { decision: "deny", tool: "d", effect: "none" },
      { decision: "deny", tool: "e", effect: "none" },
    ];
    const tools = ["a", "b", "c", "d"].map((name) => tool(name));
    const { executor } = limited([...tools, tool("e", { effects: () => [] })], none, { rules });
    expect(facts(executor, "a")).toEqual([false, true, false, "RULE_DENIES"]);
    expect(executor.toolset().of("a").allowed.reasons[0]).toMatchObject({
      message: "a rule denies every call of it (no a)",
      rule: rules[1],
    });
    expect(facts(executor, "b")).toEqual([true, true, true, "UNRESTRICTED"]);
    expect(facts(executor, "c")).toEqual([true, true, true, "UNRESTRICTED"]);
    expect(facts(executor, "c", { agentId: "guest_1" })).toEqual([false, true, false, "RULE_DENIES"]);
    expect(facts(executor, "d")).toEqual([false, true, false, "RULE_DENIES"]);
    expect(facts(executor, "e")).toEqual([true, true, true, "UNRESTRICTED"]);
  });

  test("mode locked keeps away a tool that always asks, and mode plan one that changes things unseen", () => {
    const { executor } = limited([tool("deploy", { confirm: true }), tool("poke")], []);
    expect(facts(executor, "deploy")).toEqual([true, true, true, "UNRESTRICTED"]);
    expect(facts(executor, "deploy", { mode: "locked" })).toEqual([false, true, false, "MODE_LOCKED"]);
    expect(facts(executor, "poke", { mode: "plan" })).toEqual([false, true, false, "RULE_DENIES"]);
    const looking = limited([tool("peek", { annotations: { readOnly: true } })], []).executor;
    expect(facts(looking, "peek", { mode: "plan" })).toEqual([true, true, true, "UNRESTRICTED"]);
  });
});

test("a quarantined tool is not callable, and a name that is none says so", () => {
  const { executor, registry } = limited(
    [tool("broken", { parameters: { type: "no such type" } }), tool("a")],
    [],
  );
  expect(registry.check("broken")).toContain("Cannot compile the schema");
  expect(registry.check("a")).toBeUndefined();
  expect(executor.toolset().of("broken")).toMatchObject({
    shown: { is: false },
    callable: { is: false, reasons: [{ code: "QUARANTINED" }] },
    allowed: { is: true },
  });
  expect(executor.toolset().of("aa").callable).toMatchObject({ is: false, reasons: [{ code: "UNKNOWN" }] });
});

test("a toolset is the same for the same restrictions, and follows the registry", () => {
  const limits = [ofAgent("x", { blockedTools: ["b"] })];
  const { executor, registry } = limited([tool("a"), tool("b")], limits);
  const toolset = executor.toolset({ agentId: "x" });
  expect(executor.toolset({ agentId: "x" })).toBe(toolset);
  expect(executor.toolset({ agentId: "y" })).not.toBe(toolset);
  const shown = toolset.shown();
  expect(toolset.shown()).toBe(shown);
  registry.register(tool("c"));
  expect(toolset.shown().map(({ name }) => name)).toEqual(["a", "c"]);
  expect(toolset.of("a")).toBe(toolset.of("a"));
});

test("10,000 tools are worked out once: each is asked of lists and rules a single time", () => {
  const { executor, registry } = limited(
    Array.from({ length: 10_000 }, (_, at) => tool(`tool_${at}`)),
    [ofAgent("x", { allowedTools: ["tool_*"], blockedTools: ["tool_9*"] })],
  );
  const toolset = executor.toolset();
  const first = toolset.of("tool_1");
  expect(toolset.shown().length).toBe(8_889);
  expect(toolset.usable().length).toBe(8_889);
  expect(toolset.of("tool_1")).toBe(first);
  expect(registry.snapshot().tools.length).toBe(10_000);
});

const names = ["bash", "read", "read_file", "write", "server__read", "server__send", "deploy"];
const entry = fc.oneof(
  fc.constantFrom(...names),
  fc.constantFrom("*", "read*", "server__*", "*e*", "?ash", "none_such", "**"),
);
const list = fc.array(entry, { maxLength: 4 });
const someLimits = fc.record(
  {
    by: fc.constant("a list"),
    allowedTools: list,
    blockedTools: list,
    shownTools: list,
    callHidden: fc.boolean(),
  },
  { requiredKeys: ["by"] },
);
const rule: fc.Arbitrary<Rule> = fc.record(
  {
    decision: fc.constantFrom("allow", "ask", "deny"),
    tool: fc.constantFrom(...names, "read*", "*"),
    agent: fc.constantFrom("a", "b", "*"),
    channel: fc.constantFrom("mcp", "cli"),
    effect: fc.constantFrom("none", "read", "write"),
    target: fc.constantFrom("/x", "/y", "**"),
    annotations: fc.record({ readOnly: fc.boolean() }, { requiredKeys: [] }),
    trust: fc.constantFrom("trusted", "untrusted"),
  },
  { requiredKeys: ["decision"] },
);
const someTool = (name: string): fc.Arbitrary<Tool> =>
  fc
    .record({
      readOnly: fc.boolean(),
      confirm: fc.boolean(),
      effects: fc.constantFrom(undefined, "none", "read", "write"),
      broken: fc.boolean(),
    })
    .map(({ readOnly, confirm, effects, broken }) =>
      tool(name, {
        annotations: { readOnly },
        confirm,
        ...(broken && { parameters: { type: "no such type" } }),
        ...(effects !== undefined && {
          effects: () =>
            effects === "none" ? [] : [{ kind: effects as "read" | "write", target: "/x", within: true }],
        }),
      }),
    );
const setUp = fc.record({
  tools: fc.tuple(...names.map(someTool)).chain((all) => fc.subarray(all)),
  configured: fc.array(someLimits, { maxLength: 2 }),
  own: fc.record({ allowedTools: list, blockedTools: list }, { requiredKeys: [] }),
  brought: fc.array(someLimits, { maxLength: 1 }),
  rules: fc.array(rule, { maxLength: 4 }),
  mode: fc.constantFrom<Mode>(...modes),
  agentId: fc.constantFrom("a", "b"),
  channel: fc.constantFrom("mcp", "cli"),
});

function matches(pattern: string, name: string): boolean {
  const source = pattern.replace(/\*+/g, ".*").replace(/\?/g, ".");
  return new RegExp(`^${source}$`).test(name);
}

/** The lists, read in the plainest way there is. */
function leaves(limits: readonly Omit<ToolLimits, "by">[], name: string): boolean {
  const has = (entries: readonly string[]) => entries.some((one) => matches(one, name));
  return limits.every(
    ({ allowedTools, blockedTools = [] }) =>
      !has(blockedTools) && (allowedTools === undefined || has(allowedTools)),
  );
}

test("whatever lists, rules, mode and faults there are: a toolset says what the gate does", async () => {
  await fc.assert(
    fc.asyncProperty(setUp, async ({ tools, configured, own, brought, rules, mode, agentId, channel }) => {
      let asked = 0;
      const approver = { identity: "ann", ask: async () => ({ approved: ++asked > 0, by: "ann" }) };
      const { executor, registry } = createTestExecutor(tools, { rules, limits: () => configured, approver });
      registry.checkAll();
      const context: CallContext = { ...own, limits: brought, mode, agentId, origin: { channel } };
      const toolset = executor.toolset(context);
      const all = [...configured, ...brought, own];
      for (const name of names) {
        const { tool: found, shown, callable, allowed } = toolset.of(name);
        const result = await executor.execute(name, {}, context);
        const code = result.success ? "OK" : result.code;
        // What is shown is callable and allowed, and each part has its reasons.
        if (shown.is) expect([callable.is, allowed.is]).toEqual([true, true]);
        for (const part of [shown, callable, allowed]) expect(part.reasons.length).toBeGreaterThan(0);
        // No list of a caller's is ever passed over.
        if (!leaves(all, name)) expect([allowed.is, result.success]).toEqual([false, false]);
        // What the gate does is what was said.
        if (found === undefined) expect([callable.is, code]).toEqual([false, "TOOL_NOT_FOUND"]);
        else if (!callable.is || !allowed.is) {
          const codes = [callable, allowed]
            .flatMap(({ is, reasons }) => (is ? [] : reasons))
            .map((one) => one.code);
          const expected = codes.some((one) =>
            ["BLOCKED", "NOT_ALLOW_LISTED", "HIDDEN_NOT_CALLABLE"].includes(one),
          )
            ? "TOOL_NOT_CALLABLE"
            : codes.includes("QUARANTINED")
              ? "TOOL_QUARANTINED"
              : "TOOL_PERMISSION";
          expect([name, code]).toEqual([name, expected]);
        } else expect(["OK", "TOOL_PERMISSION"]).toContain(code);
        // A refusal by a rule that looks at no call was foretold.
        const isWhole = rules.some(
          (one) =>
            one.decision === "deny" &&
            (one.tool === undefined || matches(one.tool, name)) &&
            Object.keys(one).every((key) => ["decision", "tool"].includes(key)),
        );
        if (isWhole && found !== undefined) expect(allowed.is).toBe(false);
      }
      const both = names.filter((name) => toolset.of(name).callable.is && toolset.of(name).allowed.is);
      expect(
        toolset
          .usable()
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(both.toSorted());
    }),
    { numRuns: 300 },
  );
});

test("a tool is decided about once, however the registry changes around it", () => {
  const asked: string[] = [];
  const watched = (name: string) => ({
    ...tool(name),
    get category() {
      asked.push(name);
      return "custom";
    },
  });
  const { executor, registry } = createTestExecutor([], { rules: [{ decision: "deny", category: "x" }] });
  const source = registry.source("a server", 3);
  const first = [watched("a"), watched("b")];
  source.put(first);
  const toolset = executor.toolset();
  const shown = () => toolset.shown().map(({ name }) => name);
  expect(shown()).toEqual(["a", "b"]);
  asked.length = 0;
  source.put([...first, watched("c")]);
  expect(shown()).toEqual(["a", "b", "c"]);
  expect([...new Set(asked)]).toEqual(["c"]);
  source.put([watched("a"), ...first.slice(1)]);
  asked.length = 0;
  expect(shown()).toEqual(["a", "b"]);
  expect([...new Set(asked)]).toEqual(["a"]);
});

test("a tool that is put in quarantine or replaced is decided about anew", () => {
  const broken = tool("a", { parameters: { type: "nonsense" } });
  const { executor, registry } = createTestExecutor([tool("b")], {
    rules: [{ decision: "deny", annotations: { readOnly: true } }],
  });
  const source = registry.source("a server", 3);
  source.put([broken]);
  const is = (name: string) => executor.toolset().of(name).shown.is;
  expect(is("a")).toBe(true);
  registry.checkAll();
  expect(is("a")).toBe(false);
  source.put([tool("a")]);
  expect(is("a")).toBe(true);
  source.put([tool("a", { annotations: { readOnly: true } })]);
  expect(is("a")).toBe(false);
  source.put([]);
  expect(executor.toolset().of("a")).toMatchObject({ tool: undefined, callable: { is: false } });
});
