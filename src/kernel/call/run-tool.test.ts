import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  collectEvents,
  createTestExecutor,
  RecordingArtifacts,
  RecordingLedger,
  settle,
} from "../../../test/support/test-executor.ts";
import { ToolTimeoutError } from "../errors.ts";
import { defineTool, type Tool, type ToolOutcome } from "../tool/tool.ts";
import type { ToolContext, ToolUpdate } from "./context.ts";

function toolThat(
  execute: (params: { ms: number }, context: ToolContext) => ToolOutcome,
  timeoutMs?: number | ((params: { ms: number }) => number),
) {
  return defineTool({
    name: "work",
    description: "Work for a while.",
    parameters: z.object({ ms: z.number().default(0) }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    execute,
  });
}

/** Ends as soon as it is told to. */
const obedient = toolThat(
  (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    }),
);

const deaf = toolThat(() => new Promise(() => {}));

describe("the deadline", () => {
  test("ToolExecutor.execute() stops a tool at 30 seconds, with its signal and the reason", async () => {
    const { executor, clock } = createTestExecutor([obedient]);
    const pending = executor.execute("work", {});
    await clock.advance(29_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await pending).toEqual({
      success: false,
      callId: expect.any(String),
      toolName: "work",
      error:
        'Cannot finish "work": it was stopped at its deadline of 30000 ms; ask for less, or raise the timeout',
      code: "TOOL_TIMEOUT",
      text: expect.stringContaining("[TOOL_TIMEOUT]"),
      details: { timeoutMs: 30_000 },
      startedAt: 1_000_000,
      completedAt: 1_030_000,
      durationMs: 30_000,
      trust: "untrusted",
      private: false,
      notes: [],
    });
    expect(clock.pending).toBe(0);
  });

  test.for<[string, Parameters<typeof toolThat>[1], object, object, number]>([
    ["the executor's", undefined, { timeoutMs: 700 }, {}, 700],
    ["the tool's own", 500, { timeoutMs: 700 }, {}, 500],
    ["the tool's own, by its arguments", ({ ms }) => ms * 2, {}, {}, 400],
    ["the tool's own, if that is longer than the default", 120_000, {}, {}, 120_000],
    ["the caller's, if that is shorter", 500, {}, { timeoutMs: 300 }, 300],
    ["the tool's, if the caller's is longer", 500, {}, { timeoutMs: 90_000 }, 500],
    ["the longest there is", Number.POSITIVE_INFINITY, {}, {}, 600_000],
    ["the longest the owner allows", 120_000, { maxTimeoutMs: 60_000 }, {}, 60_000],
  ])("ToolContext.deadline is %s: $4 ms", async ([, timeoutMs, options, context, expected]) => {
    const deadlines: number[] = [];
    const { executor } = createTestExecutor(
      [toolThat((_, { deadline }) => void deadlines.push(deadline), timeoutMs)],
      options,
    );
    await executor.execute("work", { ms: 200 }, context);
    expect(deadlines).toEqual([1_000_000 + expected]);
  });

  test("ToolExecutor.execute() calls what a tool finishes in its grace a time-out, and gives its result in the details", async () => {
    const { executor, clock } = createTestExecutor([]);
    const slow = toolThat(
      (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => clock.after(1999, () => resolve("just too late")));
        }),
    );
    const { executor: own } = createTestExecutor([slow], { clock });
    const pending = own.execute("work", {});
    await clock.advance(31_999);
    expect(await pending).toMatchObject({
      success: false,
      code: "TOOL_TIMEOUT",
      error: expect.stringContaining("it finished only after its deadline of 30000 ms"),
      text: expect.stringContaining("just too late"),
      details: { timeoutMs: 30_000, result: "just too late" },
    });
    expect(await pending).not.toHaveProperty("stillRunning");
    expect(clock.pending).toBe(0);
    expect(executor.events.idle).toBe(true);
  });

  test("ToolExecutor.execute() is not held by a tool that ignores its signal, and says that it may still run", async () => {
    const ledger = new RecordingLedger();
    const { executor, clock } = createTestExecutor([deaf], { ledger });
    const pending = executor.execute("work", {});
    await clock.advance(30_000);
    expect(clock.pending).toBe(1);
    await clock.advance(2000);
    expect(await pending).toMatchObject({
      success: false,
      code: "TOOL_TIMEOUT",
      stillRunning: true,
      durationMs: 32_000,
    });
    expect(ledger.entries[1]).toMatchObject({ outcome: { stillRunning: true, code: "TOOL_TIMEOUT" } });
    expect(clock.pending).toBe(0);
  });

  test("ToolExecutor.execute() gives its answer once: what an abandoned tool does later changes nothing of it", async () => {
    let finish = (_value: string): void => {};
    let show = (_text: string): void => {};
    const late = toolThat((_, { output }) => {
      show = output;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    const { executor, clock } = createTestExecutor([late]);
    const events = collectEvents(executor);
    const updates: ToolUpdate[] = [];
    const pending = executor.run("work", {}, { onUpdate: (update) => updates.push(update) });
    await clock.advance(32_000);
    const result = await pending;
    const copy = structuredClone(result);
    show("too late");
    finish("too late");
    await settle();
    expect(result).toEqual(copy);
    expect(updates).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(["tool.requested", "tool.failed"]);
  });

  test("ToolExecutor.execute() says that it stopped a tool, whatever the tool then fails with", async () => {
    const tool = toolThat(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("my own words")));
        }),
    );
    const { executor, clock } = createTestExecutor([tool]);
    const pending = executor.execute("work", {});
    await clock.advance(30_000);
    expect(await pending).toMatchObject({ success: false, code: "TOOL_TIMEOUT" });
  });

  test("ToolExecutor.execute() is not harmed by an abandoned tool that fails later", async () => {
    let fail = (_error: Error): void => {};
    const late = toolThat(
      () =>
        new Promise((_resolve, reject) => {
          fail = reject;
        }),
    );
    const { executor, clock } = createTestExecutor([late]);
    const pending = executor.execute("work", {});
    await clock.advance(32_000);
    await pending;
    fail(new Error("later"));
    await settle();
    expect(await executor.execute("none", {})).toMatchObject({ code: "TOOL_NOT_FOUND" });
  });

  test("ToolContext.signal says its reason to a tool that first looks at it when it was stopped", async () => {
    let context: ToolContext | undefined;
    const { executor, clock } = createTestExecutor([
      toolThat((_, given) => {
        context = given;
        return new Promise(() => {});
      }),
    ]);
    const pending = executor.execute("work", {});
    await clock.advance(32_000);
    await pending;
    expect(context?.signal.aborted).toBe(true);
    expect(context?.signal.reason).toBeInstanceOf(ToolTimeoutError);
    expect(context?.signal).toBe(context?.signal);
  });

  test("ToolExecutor.execute() sets no timer for a tool that is done at once, and leaves none behind", async () => {
    const { executor, clock } = createTestExecutor([
      toolThat(({ ms }) => ms),
      { ...toolThat(async () => 1), name: "later" },
    ]);
    await executor.execute("work", {});
    await executor.execute("later", {});
    expect(clock.pending).toBe(0);
  });
});

describe("cancelling", () => {
  const cause = new Error("the user left");

  test("ToolExecutor.execute() does not run a tool whose caller has cancelled already", async () => {
    const ran: unknown[] = [];
    const { executor } = createTestExecutor([toolThat(() => ran.push(1))]);
    expect(await executor.execute("work", {}, { signal: AbortSignal.abort(cause) })).toMatchObject({
      success: false,
      code: "TOOL_CANCELLED",
      error: 'Cannot finish "work": its caller cancelled it',
    });
    expect(ran).toEqual([]);
  });

  test("ToolExecutor.execute() stops a running tool when its caller cancels, and keeps no listener", async () => {
    const { executor, clock } = createTestExecutor([obedient]);
    const controller = new AbortController();
    const pending = executor.execute("work", {}, { signal: controller.signal });
    await settle();
    controller.abort(cause);
    expect(await pending).toMatchObject({ success: false, code: "TOOL_CANCELLED" });
    expect(clock.pending).toBe(0);
  });

  test("ToolContext.signal has a reason whose cause is the caller's", async () => {
    let reason: unknown;
    const tool = toolThat(
      (_, { signal }) =>
        new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            resolve();
          });
        }),
    );
    const { executor } = createTestExecutor([tool]);
    const controller = new AbortController();
    const pending = executor.execute("work", {}, { signal: controller.signal });
    await settle();
    controller.abort(cause);
    await pending;
    expect(reason).toMatchObject({ code: "TOOL_CANCELLED", cause });
  });

  test("ToolExecutor.execute() is not held by a tool that ignores the cancelling", async () => {
    const { executor, clock } = createTestExecutor([deaf]);
    const controller = new AbortController();
    const pending = executor.execute("work", {}, { signal: controller.signal });
    await settle();
    controller.abort(cause);
    await clock.advance(2000);
    expect(await pending).toMatchObject({ code: "TOOL_CANCELLED", stillRunning: true, durationMs: 2000 });
  });

  test("ToolExecutor.execute() hears of a cancelling by the tool itself", async () => {
    const controller = new AbortController();
    const tool = toolThat((_, { signal }) => {
      controller.abort(cause);
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    });
    const { executor } = createTestExecutor([tool]);
    expect(await executor.execute("work", {}, { signal: controller.signal })).toMatchObject({
      code: "TOOL_CANCELLED",
    });
  });

  test("ToolExecutor.execute() heeds a cancelling in the tick that its tool began in", async () => {
    const cancel = async (tool: Tool) => {
      const controller = new AbortController();
      const pending = createTestExecutor([tool]).executor.execute("work", {}, { signal: controller.signal });
      controller.abort(cause);
      return pending;
    };
    expect(await cancel(obedient)).toMatchObject({ code: "TOOL_CANCELLED" });
    expect(await cancel(toolThat(async () => "done"))).toMatchObject({
      success: true,
      notes: ["it was told to stop, but had finished"],
    });
    const failing = toolThat(async () => Promise.reject(new Error("It broke")));
    expect(await cancel(failing)).toMatchObject({ code: "TOOL_CANCELLED" });
  });

  test("ToolExecutor.execute() is not changed by a cancelling after the end", async () => {
    const { executor } = createTestExecutor([toolThat(async () => "done")]);
    const controller = new AbortController();
    const result = await executor.execute("work", {}, { signal: controller.signal });
    const copy = structuredClone(result);
    controller.abort(cause);
    await settle();
    expect(result).toEqual(copy);
    expect(result).toMatchObject({ success: true, result: "done" });
  });

  test("ToolExecutor.execute() leaves no listener on a signal that outlives many calls", async () => {
    const { executor } = createTestExecutor([toolThat(settle)]);
    const { signal } = new AbortController();
    const pending = Array.from({ length: 20 }, () => executor.execute("work", {}, { signal }));
    await Promise.resolve();
    expect(getEventListeners(signal, "abort")).toHaveLength(20);
    await Promise.all(pending);
    expect(getEventListeners(signal, "abort")).toEqual([]);

    const abandoned = createTestExecutor([deaf]);
    const late = abandoned.executor.execute("work", {}, { signal });
    await abandoned.clock.advance(32_000);
    await late;
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("what a tool is given", () => {
  test("ToolContext has what belongs to the call, and allows nothing that was not given", async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      ...toolThat(() => ""),
      effects: () => [{ kind: "read", target: "/a", within: true }],
      execute: (_, context) => {
        const { callId, taskId, agentId, userId, scope, origin } = context;
        const { allowedPaths, allowedHosts, effects, trust } = context;
        seen.push({ callId, taskId, agentId, userId, scope, origin });
        seen.push({ allowedPaths, allowedHosts, effects, trust });
      },
    });
    const { executor } = createTestExecutor([tool]);
    const effects = [{ kind: "read", target: "/a", within: true }];
    const who = {
      callId: "c1",
      taskId: "t",
      agentId: "a",
      userId: "u",
      scope: "s",
      origin: { channel: "cli" },
    };
    const bounds = { allowedPaths: ["/w"], allowedHosts: ["example.com"] };
    await executor.execute("work", {}, { ...who, ...bounds, trust: "untrusted" });
    await executor.execute("work", {}, { callId: "c2" });
    const nobody = { taskId: undefined, agentId: undefined, userId: undefined, origin: undefined };
    expect(seen).toEqual([
      who,
      { ...bounds, effects, trust: "untrusted" },
      { ...nobody, callId: "c2", scope: "local" },
      { allowedPaths: [], allowedHosts: [], effects, trust: "trusted" },
    ]);
  });
});

describe("progress and streaming", () => {
  const counting = toolThat(async function* ({ ms }, { signal }) {
    yield { type: "progress", progress: 1, total: 2 };
    yield { type: "output", text: "one\n" };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "output", text: "two\n" };
    return `never ${ms}`;
  });

  test("ToolContext.progress() and output() reach the caller and the listeners, in order", async () => {
    const tool = toolThat((_, { progress, output }) => {
      progress(1, 3, "reading");
      output("a");
      progress(2);
      return "done";
    });
    const { executor } = createTestExecutor([tool]);
    const events = collectEvents(executor);
    const updates: ToolUpdate[] = [];
    await executor.run("work", {}, { callId: "c1", onUpdate: (update) => updates.push(update) });
    const expected = [
      { type: "progress", progress: 1, total: 3, message: "reading" },
      { type: "output", text: "a" },
      { type: "progress", progress: 2 },
    ];
    expect(updates).toEqual(expected);
    const base = {
      type: "tool.updated",
      code: 405,
      callId: "c1",
      toolName: "work",
      taskId: undefined,
      at: 1_000_000,
    };
    expect(events.slice(1, -1)).toEqual(expected.map((update) => ({ ...base, update })));
  });

  test("ToolExecutor.execute() runs a generator: what it yields are updates, what it returns is the result", async () => {
    const tool = toolThat(async function* () {
      yield { type: "progress", progress: 1 };
      yield { type: "output", text: "a" };
      return { lines: 1 };
    });
    const { executor } = createTestExecutor([tool]);
    const updates: ToolUpdate[] = [];
    expect(await executor.execute("work", {}, { onUpdate: (update) => updates.push(update) })).toMatchObject({
      success: true,
      result: { lines: 1 },
    });
    expect(updates).toEqual([
      { type: "progress", progress: 1 },
      { type: "output", text: "a" },
    ]);
  });

  test("ToolExecutor.execute() keeps the output so far of a tool that is stopped", async () => {
    const { executor, clock } = createTestExecutor([counting]);
    const pending = executor.execute("work", {});
    await clock.advance(30_000);
    const result = await pending;
    expect(result).toMatchObject({ success: false, code: "TOOL_TIMEOUT", partial: "one\ntwo\n" });
    expect(result.text).toBe(
      `${result.success ? "" : result.error} [TOOL_TIMEOUT]\nOutput until then:\none\ntwo\n`,
    );
  });

  test("ToolExecutor.execute() keeps the output so far of a tool that fails", async () => {
    const { executor } = createTestExecutor([
      toolThat((_, { output }) => {
        output("half");
        throw new Error("no more");
      }),
    ]);
    expect(await executor.execute("work", {})).toMatchObject({ error: "no more", partial: "half" });
  });

  test("ToolExecutor.execute() lets a generator clean up when it is stopped, fails, or yields nonsense", async () => {
    const log: string[] = [];
    const cleaning = (work: (context: ToolContext) => AsyncGenerator<ToolUpdate, unknown, void>) =>
      toolThat(async function* (_, context) {
        try {
          return yield* work(context);
        } finally {
          log.push("cleaned up");
        }
      });
    const stopped = createTestExecutor([
      cleaning(async function* ({ signal }) {
        for (;;) {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          yield { type: "progress", progress: 1 };
        }
      }),
    ]);
    const pending = stopped.executor.execute("work", {});
    await stopped.clock.advance(30_000);
    expect(await pending).toMatchObject({ code: "TOOL_TIMEOUT" });
    expect(log).toEqual(["cleaned up"]);

    const nonsense = createTestExecutor([
      cleaning(async function* () {
        yield undefined as never;
      }),
    ]);
    expect(await nonsense.executor.execute("work", {})).toMatchObject({
      success: false,
      code: "TOOL_FAILED",
    });
    expect(log).toEqual(["cleaned up", "cleaned up"]);
  });

  test("ToolExecutor.execute() is not held by a generator that does not end", async () => {
    const { executor, clock } = createTestExecutor([
      toolThat(async function* () {
        yield { type: "output", text: "a" };
        await new Promise(() => {});
      }),
    ]);
    const pending = executor.execute("work", {});
    await clock.advance(32_000);
    expect(await pending).toMatchObject({ code: "TOOL_TIMEOUT", stillRunning: true, partial: "a" });
  });

  test("ToolExecutor.execute() bounds the output that it keeps of a tool without end", async () => {
    const artifacts = new RecordingArtifacts();
    const endless = toolThat((_, { output }) => {
      for (let line = 0; line < 1000; line++) output(`${line} ${"x".repeat(1000)}\n`);
      throw new Error("enough");
    });
    const { executor } = createTestExecutor([endless], { artifacts, maxOutputChars: 5000 });
    const result = await executor.execute("work", {});
    expect(result.text.length).toBeLessThanOrEqual(5000);
    expect(result.text).toContain("999 x");
    expect(artifacts.kept).toHaveLength(1);
    expect(artifacts.kept[0]?.data.length).toBeLessThanOrEqual(11_000);
    expect(result.artifact?.id).toBe("x_1");
  });
});
