import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createTestExecutor, RecordingLedger, settle } from "../../../test/support/test-executor.ts";
import { defineTool } from "../tool/tool.ts";
import type { Hook, HookOutcome } from "./hooks.ts";

function createTool() {
  const ran: unknown[] = [];
  const tool = defineTool({
    name: "greet",
    description: "Greet somebody.",
    parameters: z.strictObject({ name: z.string() }),
    execute: ({ name }) => {
      ran.push(name);
      return `Hello, ${name}`;
    },
  });
  return { tool, ran };
}

const fails = () => {
  throw new Error("broken");
};

describe("before", () => {
  test("Hook.before sees the call with valid arguments, before anything is decided", async () => {
    const { tool: whole } = createTool();
    const seen: unknown[] = [];
    const { executor } = createTestExecutor([whole], {
      rules: [{ decision: "deny" }],
      hooks: [{ name: "watch", before: ({ signal, ...call }) => void seen.push(call, signal.aborted) }],
    });
    const context = { userId: "u", callId: "c1" };
    expect(await executor.execute("greet", { name: "Ann" }, context)).toMatchObject({
      code: "TOOL_PERMISSION",
    });
    expect(await executor.execute("greet", { name: 1 }, context)).toMatchObject({ code: "TOOL_VALIDATION" });
    const params = { name: "Ann" };
    const tool = executor.toolset().of("greet").tool;
    expect(seen).toEqual([{ callId: "c1", tool, params, shownParams: params, context }, false]);
  });

  test("Hook.before may block a call, and says why", async () => {
    const { tool, ran } = createTool();
    const { executor } = createTestExecutor([tool], {
      hooks: [{ name: "guard", before: () => ({ block: "not on Sundays" }) }],
    });
    expect(await executor.execute("greet", { name: "Ann" })).toMatchObject({
      success: false,
      code: "TOOL_BLOCKED",
      error: 'Blocked by hook "guard": not on Sundays',
    });
    expect(ran).toEqual([]);
  });

  test("Hook.before may change the arguments, which is noted and validated again", async () => {
    const { tool, ran } = createTool();
    const { executor } = createTestExecutor([tool], {
      hooks: [{ name: "rename", before: () => ({ params: { name: "Bob" } }) }],
    });
    expect(await executor.execute("greet", { name: "Ann" })).toMatchObject({
      success: true,
      result: "Hello, Bob",
      notes: ['hook "rename" changed the arguments'],
    });
    expect(ran).toEqual(["Bob"]);
  });

  test("Hook.before can't put in arguments that do not fit", async () => {
    const { tool, ran } = createTool();
    for (const params of [{ name: 1 }, { name: "Bob", extra: true }, undefined]) {
      const { executor } = createTestExecutor([tool], {
        hooks: [{ name: "bad", before: () => ({ params }) }],
      });
      expect(await executor.execute("greet", { name: "Ann" })).toMatchObject({ code: "TOOL_VALIDATION" });
    }
    expect(ran).toEqual([]);
  });

  test("Hook.before changes what policy sees: permission is decided on the arguments that will be used", async () => {
    const { tool, ran } = createTool();
    const { executor } = createTestExecutor([tool], {
      rules: [{ decision: "allow" }, { decision: "deny", arguments: { name: "Mallory" } }],
      hooks: [{ name: "swap", before: () => ({ params: { name: "Mallory" } }) }],
    });
    expect(await executor.execute("greet", { name: "Ann" })).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(ran).toEqual([]);
  });

  test("Hooks run in the order given, each on what the one before it left", async () => {
    const { tool } = createTool();
    const add = (letter: string): Hook => ({
      name: letter,
      before: ({ params }) => ({ params: { name: `${(params as { name: string }).name}${letter}` } }),
      after: (_, outcome) => (outcome.success ? { value: `${String(outcome.value)}!${letter}` } : undefined),
    });
    const { executor } = createTestExecutor([tool], { hooks: [add("a"), add("b"), add("c")] });
    expect(await executor.execute("greet", { name: "" })).toMatchObject({ result: "Hello, abc!a!b!c" });
  });

  test("Hook.before of a later hook is not asked once one has blocked", async () => {
    const { tool } = createTool();
    const asked: string[] = [];
    const { executor } = createTestExecutor([tool], {
      hooks: [
        { name: "first", before: () => ({ block: "no" }) },
        { name: "second", before: () => void asked.push("second") },
      ],
    });
    await executor.execute("greet", { name: "Ann" });
    expect(asked).toEqual([]);
  });

  test.for<[string, Partial<Hook>]>([
    ["throws", { before: fails }],
    ["rejects", { before: async () => fails() }],
    ["answers with a word", { before: () => "fine" as never }],
    ["can't say whether it is for this tool", { appliesTo: fails, before: () => undefined }],
  ])("Hook.before that %s blocks the call, unless the hook is advisory", async ([, part]) => {
    const { tool, ran } = createTool();
    const strict = createTestExecutor([tool], { hooks: [{ name: "guard", ...part }] });
    expect(await strict.executor.execute("greet", { name: "Ann" })).toMatchObject({
      success: false,
      code: "TOOL_BLOCKED",
      error: expect.stringMatching(/^Blocked: hook "guard" failed: .*, and it must agree to this call$/),
    });
    expect(ran).toEqual([]);
    const advisory = createTestExecutor([tool], { hooks: [{ name: "guard", blocking: false, ...part }] });
    const result = await advisory.executor.execute("greet", { name: "Ann" });
    expect(result.success).toBe(true);
    expect(result.notes).toEqual([expect.stringMatching(/^hook "guard" failed: /)]);
  });

  test("Hook.before that hangs blocks the call after its time, and is told to stop", async () => {
    const { tool, ran } = createTool();
    let signal: AbortSignal | undefined;
    const hook: Hook = {
      name: "slow",
      timeoutMs: 500,
      before: (call) => {
        signal = call.signal;
        return new Promise(() => {});
      },
    };
    const { executor, clock } = createTestExecutor([tool], { hooks: [hook] });
    const pending = executor.execute("greet", { name: "Ann" });
    await clock.advance(500);
    expect(await pending).toMatchObject({
      code: "TOOL_BLOCKED",
      error: expect.stringContaining("it took longer than 500 ms"),
    });
    expect(signal?.aborted).toBe(true);
    expect(ran).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test("Hook.before that hangs has 10 seconds where it names no time", async () => {
    const { tool } = createTool();
    const { executor, clock } = createTestExecutor([tool], {
      hooks: [{ name: "slow", blocking: false, before: () => new Promise(() => {}) }],
    });
    const pending = executor.execute("greet", { name: "Ann" });
    await clock.advance(10_000);
    expect(await pending).toMatchObject({ success: true, result: "Hello, Ann" });
  });

  test("Hook.before ends with the call when its caller cancels", async () => {
    const { tool, ran } = createTool();
    const { executor } = createTestExecutor([tool], {
      hooks: [{ name: "slow", before: () => new Promise(() => {}) }],
    });
    const controller = new AbortController();
    const pending = executor.execute("greet", { name: "Ann" }, { signal: controller.signal });
    await settle();
    controller.abort();
    expect(await pending).toMatchObject({ code: "TOOL_CANCELLED" });
    expect(ran).toEqual([]);
  });
});

describe("after", () => {
  test("Hook.after sees how the call came out, before its output is cut, and may change what is returned", async () => {
    const { tool } = createTool();
    const seen: HookOutcome[] = [];
    const { executor } = createTestExecutor([tool], {
      maxOutputChars: 1000,
      hooks: [
        {
          name: "shout",
          after: (_, outcome) => {
            seen.push(outcome);
            return outcome.success ? { value: String(outcome.value).toUpperCase().slice(0, 900) } : undefined;
          },
        },
      ],
    });
    const name = "x".repeat(2000);
    expect(await executor.execute("greet", { name })).toMatchObject({
      success: true,
      result: `HELLO, ${"X".repeat(893)}`,
      notes: ['hook "shout" changed the result'],
    });
    expect(seen).toEqual([{ success: true, value: `Hello, ${name}` }]);
  });

  test("Hook.after sees a failure and can't make a success of it", async () => {
    const { tool } = createTool();
    const seen: HookOutcome[] = [];
    const { executor } = createTestExecutor([defineTool({ ...tool, execute: fails })], {
      hooks: [{ name: "hide", after: (_, outcome) => (seen.push(outcome), { value: "all fine" }) }],
    });
    expect(await executor.execute("greet", { name: "Ann" })).toMatchObject({
      success: false,
      error: "broken",
      notes: [],
    });
    expect(seen).toEqual([{ success: false, error: new Error("broken") }]);
  });

  test("Hook.after also sees a call that was refused, but not one of no tool", async () => {
    const { tool } = createTool();
    const seen: boolean[] = [];
    const { executor } = createTestExecutor([tool], {
      rules: [{ decision: "deny" }],
      hooks: [{ name: "audit", after: (_, { success }) => void seen.push(success) }],
    });
    await executor.execute("greet", { name: "Ann" });
    await executor.execute("none", {});
    expect(seen).toEqual([false]);
  });

  test.for<[string, Partial<Hook>]>([
    ["throws", { after: fails }],
    ["rejects", { after: async () => fails() }],
    ["can't say whether it is for this tool", { appliesTo: fails, after: () => undefined }],
  ])("Hook.after that %s withholds the result, unless the hook is advisory", async ([, part]) => {
    const { tool, ran } = createTool();
    const ledger = new RecordingLedger();
    const strict = createTestExecutor([tool], { ledger, hooks: [{ name: "audit", ...part }] });
    const withheld = await strict.executor.execute("greet", { name: "Ann" });
    expect(withheld).toMatchObject({
      success: false,
      code: "TOOL_WITHHELD",
      error:
        'Cannot show what "greet" returned: hook "audit" failed: broken, and it must agree to every result; the call itself was done, so do not repeat it for its effect',
    });
    expect(ran).toEqual(["Ann"]);
    expect(JSON.stringify([withheld, ledger.entries.at(-1)])).not.toContain("Hello");
    const advisory = createTestExecutor([tool], { hooks: [{ name: "audit", blocking: false, ...part }] });
    expect(await advisory.executor.execute("greet", { name: "Ann" })).toMatchObject({
      success: true,
      result: "Hello, Ann",
      notes: ['hook "audit" failed: broken'],
    });
  });

  test("Hook.after that hangs withholds the result after its time", async () => {
    const { tool } = createTool();
    const { executor, clock } = createTestExecutor([tool], {
      hooks: [{ name: "audit", after: () => new Promise(() => {}) }],
    });
    const pending = executor.execute("greet", { name: "Ann" });
    await clock.advance(10_000);
    expect(await pending).toMatchObject({
      code: "TOOL_WITHHELD",
      notes: ['hook "audit" failed: it took longer than 10000 ms'],
    });
  });

  test("Hook.after may withhold a result, and no later hook brings it back", async () => {
    const { tool } = createTool();
    const { executor } = createTestExecutor([tool], {
      hooks: [
        { name: "guard", after: () => ({ block: "it names Ann" }) },
        { name: "restore", after: () => ({ value: "Hello, Ann" }) },
      ],
    });
    expect(await executor.execute("greet", { name: "Ann" })).toMatchObject({
      code: "TOOL_WITHHELD",
      error: expect.stringContaining('hook "guard" withholds it: it names Ann; the call itself was done'),
    });
  });

  test("Hook.after that fails withholds what a failing tool said and had shown, and says how it failed", async () => {
    const { tool } = createTool();
    const talking = defineTool({
      ...tool,
      execute: (_, context) => {
        context.output("half a secret");
        throw Object.assign(new Error("the rest of it"), { code: "GREET_FAILED" });
      },
    });
    const { executor } = createTestExecutor([talking], { hooks: [{ name: "filter", after: fails }] });
    const result = await executor.execute("greet", { name: "Ann" });
    expect(result).toMatchObject({ code: "TOOL_WITHHELD", details: { failed: "GREET_FAILED" } });
    expect(result.text).toContain("it failed, and may have been done in part");
    expect(JSON.stringify(result)).not.toMatch(/half a secret|the rest of it/);
  });

  test("Hook.after that fails leaves the reason of a call that was refused before it ran", async () => {
    const { tool } = createTool();
    const { executor } = createTestExecutor([tool], {
      rules: [{ decision: "deny" }],
      hooks: [{ name: "filter", after: fails }],
    });
    expect(await executor.execute("greet", { name: "Ann" })).toMatchObject({
      code: "TOOL_PERMISSION",
      notes: ['hook "filter" failed: broken'],
    });
  });

  test("Hook.after runs although the caller has cancelled: what it filters must not get past it", async () => {
    const { tool } = createTool();
    const controller = new AbortController();
    const stubborn = defineTool({
      ...tool,
      execute: async () => {
        controller.abort();
        await settle();
        return "the secret word";
      },
    });
    const { executor } = createTestExecutor([stubborn], {
      hooks: [{ name: "filter", after: async () => (await settle(), { value: "[filtered]" }) }],
    });
    expect(await executor.execute("greet", { name: "Ann" }, { signal: controller.signal })).toMatchObject({
      success: true,
      result: "[filtered]",
    });
  });

  test("Hook.after is asked for a call that was cancelled before it began", async () => {
    const { tool } = createTool();
    const seen: HookOutcome[] = [];
    const { executor } = createTestExecutor([tool], {
      hooks: [{ name: "audit", after: (_, outcome) => void seen.push(outcome) }],
    });
    const result = await executor.execute("greet", { name: "Ann" }, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ success: false, code: "TOOL_CANCELLED" });
    expect(seen).toMatchObject([{ success: false, error: { code: "TOOL_CANCELLED" } }]);
  });
});

test("Hook.appliesTo chooses the tools of a hook, for both its sides", async () => {
  const { tool } = createTool();
  const other = defineTool({ ...tool, name: "wave" });
  const asked: string[] = [];
  const { executor } = createTestExecutor([tool, other], {
    hooks: [
      {
        name: "waves",
        appliesTo: ({ name }) => name === "wave",
        before: ({ tool: { name } }) => void asked.push(`before ${name}`),
        after: ({ tool: { name } }) => void asked.push(`after ${name}`),
      },
    ],
  });
  await executor.execute("greet", { name: "Ann" });
  await executor.execute("wave", { name: "Ann" });
  expect(asked).toEqual(["before wave", "after wave"]);
});

test("A hook may be an object with a state of its own", async () => {
  const { tool } = createTool();
  class Counter implements Hook {
    readonly name = "counter";
    count = 0;
    before(): void {
      this.count++;
    }
    after(): void {
      this.count += 10;
    }
  }
  const counter = new Counter();
  const { executor } = createTestExecutor([tool], { hooks: [counter] });
  await executor.execute("greet", { name: "Ann" });
  expect(counter.count).toBe(11);
});
