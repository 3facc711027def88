import { describe, expect, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/base/index.ts";
import { defineChain } from "../../src/formats/index.ts";
import {
  defaultRules,
  defineTool,
  type Effect,
  type Rule,
  type Tool,
  type ToolContext,
} from "../../src/kernel/index.ts";
import { chainTools } from "../../src/modules/chain/index.ts";
import { selectionTools } from "../../src/modules/finding/tools/index.ts";
import { scriptTools } from "../../src/modules/script/index.ts";
import { answering, MemoryGrants } from "../support/questions.ts";
import { collectEvents, createTestExecutor, RecordingLedger, settle } from "../support/test-executor.ts";

const [callTool] = selectionTools({
  search: { search: async () => ({ found: [] }) },
  packs: { list: () => [] },
  registry: { getSchema: () => undefined },
}).filter(({ name }) => name === "call_tool") as [Tool];

const yes = { approved: true, by: "ann" } as const;

/** A command, whose effect says what the script has in it that it runs. */
class Shell {
  script = "echo hello";
  readonly ran: string[] = [];

  readonly bash: Tool = defineTool({
    name: "bash",
    description: "Run.",
    parameters: z.object({ command: z.string(), note: z.string().default("") }),
    effects: ({ command }): readonly Effect[] => [
      { kind: "run", target: command, within: false, aliases: [this.script] },
    ],
    execute: ({ command, note }) => {
      this.ran.push(`${command}: ${this.script}${note}`);
      return "done";
    },
  });

  /** Changes it without being asked about. */
  readonly edit: Tool = defineTool({
    name: "edit",
    description: "Edit.",
    parameters: z.object({}),
    effects: () => [{ kind: "write", target: "/w/build.sh", within: true }],
    execute: () => {
      this.script = "rm -rf /";
      return "edited";
    },
  });
}

const makeChain = (...steps: readonly unknown[]) => ({ name: "run_chain", params: { steps } });
const build = { id: "build", tool: "bash", arguments: { command: "sh build.sh" } };
const edit = { id: "edit", tool: "edit" };

describe("a yes to a chain", () => {
  test.for([
    ["a step", makeChain(edit, { ...build, after: ["edit"] })],
    ["a chain that is a step", makeChain(edit, { ...step("inner", makeChain(build)), after: ["edit"] })],
    [
      "a chain in a chain",
      makeChain(edit, { ...step("inner", makeChain(step("innermost", makeChain(build)))), after: ["edit"] }),
    ],
    [
      "a chain by call_tool",
      makeChain(edit, {
        id: "inner",
        tool: "call_tool",
        arguments: { name: "run_chain", arguments: makeChain(build).params },
        after: ["edit"],
      }),
    ],
  ] as const)(
    "is to the effects that were shown, also of %s: what another step changes asks again",
    async ([, { name, params }]) => {
      const shell = new Shell();
      const answers = [true, false];
      const asked: string[] = [];
      const { executor } = createTestExecutor([...chainTools(), callTool, shell.bash, shell.edit], {
        rules: defaultRules,
        approver: {
          identity: "ann",
          ask: async ({ effects }) => {
            asked.push(JSON.stringify(effects));
            return { approved: answers.shift() ?? false, by: "ann" };
          },
        },
      });
      await executor.execute(name, params);
      expect(shell.ran).toEqual([]);
      expect(asked).toHaveLength(2);
      expect(asked[0]).toContain("echo hello");
      expect(asked[1]).toContain("rm -rf /");
    },
  );

  test("is asked for with the tools that are meant, and with the calls of its calls", async () => {
    const shell = new Shell();
    const approver = answering(yes);
    const { executor } = createTestExecutor([...chainTools(), callTool, shell.bash], {
      rules: defaultRules,
      approver,
    });
    const called = {
      id: "a",
      tool: "call_tool",
      arguments: { name: "bash", arguments: { command: "make" } },
    };
    await executor.execute("run_chain", makeChain(called, step("b", makeChain(build))).params);
    const make = { command: "make", note: "" };
    expect(approver.asked[0]?.params).toMatchObject({
      calls: [
        { step: "a", tool: "bash", arguments: make },
        {
          step: "b",
          tool: "run_chain",
          arguments: { calls: [{ step: "build", tool: "bash", arguments: { command: "sh build.sh" } }] },
        },
      ],
    });
    expect(shell.ran).toHaveLength(2);
    expect(approver.asked).toHaveLength(1);
  });

  test("is remembered for these versions of its tools", async () => {
    const shell = new Shell();
    const grants = new MemoryGrants();
    const approver = answering({ ...yes, remember: { offer: "exact", term: "session" } });
    for (const version of ["1", "1", "2"]) {
      const { executor } = createTestExecutor([...chainTools(), { ...shell.bash, version }], {
        rules: defaultRules,
        approver,
        grants,
      });
      await executor.execute("run_chain", makeChain(step("inner", makeChain(build))).params);
    }
    expect(approver.asked).toHaveLength(2);
  });

  test("is not to other arguments that a hook gives one of its calls", async () => {
    const shell = new Shell();
    const approver = answering(yes);
    const { executor } = createTestExecutor([...chainTools(), shell.bash], {
      rules: defaultRules,
      approver,
      hooks: [
        {
          name: "other",
          before: ({ tool, params }) =>
            tool.name === "bash" ? { params: { ...(params as object), note: "!" } } : undefined,
        },
      ],
    });
    await executor.execute("run_chain", makeChain(build).params);
    expect(approver.asked.map(({ toolName }) => toolName)).toEqual(["run_chain", "bash"]);
  });
});

function step(id: string, { name, params }: { readonly name: string; readonly params: unknown }) {
  return { id, tool: name, arguments: params };
}

describe("secret arguments of inner calls", () => {
  const value = "canary-Zq7-value";
  const keep = defineTool({
    name: "keep",
    description: "Keep.",
    parameters: z.object({ key: z.string(), value: z.string() }),
    secretParams: ["value"],
    effects: () => [{ kind: "write", target: "/s", within: true }],
    execute: ({ value: kept }) => `kept ${kept}`,
  });
  const args = { key: "k", value };
  const inChain = step("a", { name: "keep", params: args });

  test.for([
    ["a chain", makeChain(inChain)],
    ["a chain, misspelt", makeChain(step("a", { name: "keep", params: { key: "k", valeu: value } }))],
    ["a chain in a chain", makeChain(step("b", makeChain(inChain)))],
    [
      "a chain, by call_tool",
      makeChain(step("a", { name: "call_tool", params: { name: "keep", arguments: args } })),
    ],
    [
      "a chain that is none",
      { name: "run_chain", params: { steps: [{ tool: "keep", arguments: args }, 7] } },
    ],
    ["call_tool", { name: "call_tool", params: { name: "keep", arguments: args } }],
    ["call_tool with more than that", { name: "call_tool", params: { name: "keep", arguments: args, x: 1 } }],
    ["a script", script(`await tools.keep({ key: "k", value: "${value}" })`)],
    ["a script, by name", script(`await tools.raw('keep', { "key": 'k', 'value': '${value}' })`)],
    [
      "a script in a chain",
      makeChain(step("a", script(`await tools.keep({ key: "k", value: "${value}" })`))),
    ],
  ] as const)("of %s are in no question, row, event, hook or result", async ([, { name, params }]) => {
    const ledger = new RecordingLedger();
    const approver = answering(yes);
    const hooked: unknown[] = [];
    const { executor } = createTestExecutor([...chainTools(), ...scriptTools(), callTool, keep], {
      rules: [{ decision: "ask", tool: "*" }],
      approver,
      ledger,
      clock: systemClock,
      hooks: [{ name: "see", before: ({ shownParams }) => void hooked.push(shownParams) }],
    });
    const events = collectEvents(executor);
    const result = await executor.run(name, params);
    const seen = JSON.stringify([ledger.entries, events, approver.asked, hooked, result]);
    expect(seen).not.toContain(value);
    expect(seen).toMatch(/\[secret\]/);
  });

  test("hide nothing else of a call that has none", async () => {
    const ledger = new RecordingLedger();
    const { executor } = createTestExecutor([...chainTools(), ...scriptTools(), keep], {
      ledger,
      clock: systemClock,
    });
    const { name, params } = script(`const value = "an ordinary text"; return value`);
    expect(await executor.execute(name, params)).toMatchObject({ result: { result: "an ordinary text" } });
    expect(JSON.stringify(ledger.entries)).toContain("an ordinary text");
  });
});

function script(code: string) {
  return { name: "run_script", params: { code } };
}

describe("what a chain costs the host", () => {
  const allow: readonly Rule[] = [{ decision: "allow" }];

  test("a chain that calls itself, or more calls than anybody could look through, is refused before it is planned", async () => {
    const defined = (name: string, tool: string, times: number) =>
      defineChain({
        name,
        description: "Chain.",
        parameters: z.object({}),
        steps: Array.from({ length: times }, (_, at) => ({ id: `s${at}`, tool })),
      });
    const { executor } = createTestExecutor(
      [
        defined("itself", "itself", 1),
        defined("there", "back", 1),
        defined("back", "there", 1),
        defined("one", "two", 50),
        defined("two", "three", 50),
        defined("three", "nothing", 50),
        defineTool({ name: "nothing", description: "-", parameters: z.object({}), execute: () => "" }),
      ],
      { rules: allow },
    );
    for (const name of ["itself", "there", "one"])
      expect(await executor.execute(name, {})).toMatchObject({ success: false, code: "TOOL_NOT_CALLABLE" });
  });

  test("a chain of many chains is planned again, one by one, as they are reached", async () => {
    let calls = 0;
    const count = defineTool({
      name: "count",
      description: "Count.",
      parameters: z.object({}),
      annotations: { readOnly: true, openWorld: false },
      execute: () => ++calls,
    });
    const { executor } = createTestExecutor([...chainTools(), count], { rules: allow });
    const four = makeChain(...["a", "b", "c", "d"].map((id) => ({ id, tool: "count" })));
    const all = Array.from({ length: 48 }, (_, at) => step(`s${at}`, four));
    expect(await executor.execute("run_chain", { steps: all })).toMatchObject({ success: true });
    expect(calls).toBe(192);
  });

  test("references that stand for a long text again and again fill no memory", async () => {
    const big = defineTool({
      name: "big",
      description: "Big.",
      parameters: z.object({ text: z.unknown().optional() }),
      annotations: { readOnly: true, openWorld: false },
      execute: () => ({ text: "x".repeat(900_000) }),
    });
    const { executor } = createTestExecutor([...chainTools(), big], { rules: allow });
    const often = Array.from({ length: 10_000 }, () => ({ $from: "a/text" }));
    const more = "its references stand for more than 4000000 characters";
    expect(
      await executor.execute("run_chain", { steps: [{ id: "a", tool: "big" }], result: often }),
    ).toMatchObject({
      error: expect.stringContaining(more),
    });
    const steps = [
      { id: "a", tool: "big" },
      { id: "b", tool: "big", arguments: { text: often } },
    ];
    expect(await executor.execute("run_chain", { steps })).toMatchObject({
      error: expect.stringContaining(more),
    });
  });
});

describe("a program that has read here and outside", () => {
  const read = defineTool({
    name: "read",
    description: "Read.",
    parameters: z.object({}),
    annotations: { readOnly: true },
    effects: () => [{ kind: "read", target: "/w/list.txt", within: true }],
    execute: () => "https://one.example/a\nhttps://two.example/b\n",
  });
  const get = defineTool({
    name: "get",
    description: "Get.",
    parameters: z.object({ url: z.string() }),
    annotations: { readOnly: true },
    effects: ({ url }) => [{ kind: "connect", target: new URL(url).origin, within: true }],
    execute: () => "a page that says: see https://three.example/c",
  });

  async function listAsked(code: string): Promise<readonly string[]> {
    const approver = answering(yes);
    const { executor } = createTestExecutor([...scriptTools(), read, get], {
      rules: defaultRules,
      approver,
      clock: systemClock,
    });
    expect(await executor.execute("run_script", { code })).toMatchObject({ success: true });
    return approver.asked.flatMap(({ effects }) => effects.map(({ target }) => target));
  }

  test("asks nothing for addresses that it read here, or that stand in its text", async () => {
    const code = `const urls = (await tools.read()).trim().split("\\n");
      for (const url of urls) await tools.get({ url });
      await tools.get({ url: "https://four.example/?from=" + encodeURIComponent(urls[0]) });`;
    expect(await listAsked(code)).toEqual([]);
  });

  test("asks for one that a page named, and for one that it has made up", async () => {
    const code = `await tools.read();
      const page = await tools.get({ url: "https://four.example/" });
      await tools.get({ url: page.match(/https:.*/)[0] });
      await tools.get({ url: "https://" + Array.from("elpmaxe.evif").reverse().join("") });`;
    expect(await listAsked(code)).toEqual(["https://three.example", "https://five.example"]);
  });
});

test("a step whose effects can't be told without its arguments is decided when it is reached", async () => {
  const approver = answering(yes);
  const fetch = defineTool({
    name: "fetch",
    description: "Fetch.",
    parameters: z.object({ url: z.string() }),
    effects: ({ url }) => [{ kind: "connect", target: new URL(url).origin, within: false }],
    execute: ({ url }) => url,
  });
  const find = defineTool({
    name: "find",
    description: "Find.",
    parameters: z.object({}),
    annotations: { readOnly: true, openWorld: false },
    execute: () => ({ url: "https://example.com/a" }),
  });
  const { executor } = createTestExecutor([...chainTools(), fetch, find], { rules: defaultRules, approver });
  const steps = [
    { id: "a", tool: "find" },
    { id: "b", tool: "fetch", arguments: { url: { $from: "a/url" } } },
  ];
  expect(await executor.execute("run_chain", { steps })).toMatchObject({ result: "https://example.com/a" });
  expect(approver.asked.map(({ toolName }) => toolName)).toEqual(["fetch"]);
  const none = { steps: [steps[0], { ...steps[1], tool: "none" }] };
  expect(await executor.execute("run_chain", none)).toMatchObject({ code: "TOOL_NOT_FOUND" });
});

test("a program waits for nobody's answer once, not for each of its calls; what is granted still runs", async () => {
  const shell = new Shell();
  const codes: string[] = [];
  const outer = defineTool({
    name: "outer",
    description: "Outer.",
    parameters: z.object({}),
    composes: true,
    execute: async (_params: unknown, context: ToolContext) => {
      for (const command of ["one", "two", "three"]) {
        const result = await context.call("bash", { command });
        codes.push(result.success ? "done" : result.error);
      }
    },
  });
  const asked: string[] = [];
  const { executor, clock } = createTestExecutor([outer, shell.bash], {
    rules: defaultRules,
    grants: {
      find: async ({ params }) => (JSON.stringify(params).includes("three") ? ["g"] : undefined),
      add: async () => "g",
      whyNot: async () => undefined,
    },
    approver: {
      identity: "ann",
      ask: ({ toolName }) => {
        asked.push(toolName);
        return new Promise(() => {});
      },
    },
  });
  const result = executor.execute("outer", {});
  await settle();
  await clock.advance(300_000);
  expect(await result).toMatchObject({ success: true });
  expect(asked).toEqual(["bash"]);
  expect(codes[0]).toContain("nobody answered within 300000 ms");
  expect(codes[1]).toContain('nobody answered what "outer" asked before');
  expect(codes[2]).toBe("done");
});

test("a call that a tool did not await ends with the tool", async () => {
  const ended: string[] = [];
  const slow = defineTool({
    name: "slow",
    description: "Slow.",
    parameters: z.object({}),
    execute: (_params, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          ended.push("slow");
          reject(signal.reason as Error);
        });
      }),
  });
  let inner: Promise<unknown> | undefined;
  const outer = defineTool({
    name: "outer",
    description: "Outer.",
    parameters: z.object({}),
    composes: true,
    execute: async (_params: unknown, context: ToolContext) => {
      inner = context.call("slow", {});
      await new Promise((resolve) => setImmediate(resolve));
      return "done";
    },
  });
  const { executor } = createTestExecutor([slow, outer]);
  expect(await executor.execute("outer", {})).toMatchObject({ result: "done" });
  expect(await inner).toMatchObject({ code: "TOOL_CANCELLED" });
  expect(ended).toEqual(["slow"]);
});
