import { expect, test } from "vitest";
import { z } from "zod";
import { createTestExecutor, settle } from "../../../test/support/test-executor.ts";
import { defineTool, type Tool } from "../tool/tool.ts";
import type { ToolContext } from "./context.ts";

function makeTool(name: string, execute: (context: ToolContext) => Promise<unknown>): Tool {
  return defineTool({
    name,
    description: "A tool.",
    parameters: z.object({}),
    effects: () => [{ kind: "write", target: `/${name}`, within: true }],
    execute: (_, context) => execute(context),
  });
}

/** A person who answers when told to. */
function person() {
  const answer = Promise.withResolvers<string>();
  let signal: AbortSignal | undefined;
  const ask = (given: AbortSignal) => {
    signal = given;
    return answer.promise;
  };
  return { answer, ask, signal: () => signal };
}

const quick = makeTool("quick", async () => "done");

test("ToolContext.awaitPerson() gives the call's place to others, and takes one again before it goes on", async () => {
  const ann = person();
  const hold = Promise.withResolvers<void>();
  const asking = makeTool("asking", async ({ awaitPerson }) => awaitPerson(ann.ask));
  const long = makeTool("long", async () => hold.promise);
  const { executor } = createTestExecutor([asking, quick, long], { maxConcurrent: 1 });
  let done = false;
  const waiting = executor.execute("asking", {}).finally(() => (done = true));
  await settle();
  expect(await executor.execute("quick", {})).toMatchObject({ success: true });
  const other = executor.execute("long", {});
  await settle();
  ann.answer.resolve("yes");
  await settle();
  expect(done).toBe(false);
  hold.resolve();
  expect(await waiting).toMatchObject({ success: true, result: "yes" });
  await other;
  expect(await executor.execute("quick", {})).toMatchObject({ success: true });
});

test("ToolContext.awaitPerson() keeps what the call holds against other calls", async () => {
  const ann = person();
  const asking = makeTool("asking", async ({ awaitPerson }) => awaitPerson(ann.ask));
  const { executor } = createTestExecutor([asking]);
  const waiting = executor.execute("asking", {});
  await settle();
  let second = false;
  const other = executor.execute("asking", {}).finally(() => (second = true));
  await settle();
  expect(second).toBe(false);
  ann.answer.resolve("yes");
  expect(await waiting).toMatchObject({ success: true });
  expect(await other).toMatchObject({ success: true });
});

test("ToolContext.awaitPerson() stops the clock of the deadline, which then goes on with what was left", async () => {
  const ann = person();
  const deadlines: number[] = [];
  const asking = makeTool("asking", async (context) => {
    deadlines.push(context.deadline);
    await new Promise<void>((resolve) => clock.after(600, resolve));
    await context.awaitPerson(ann.ask);
    deadlines.push(context.deadline);
    return new Promise(() => {});
  });
  const { executor, clock } = createTestExecutor([asking], { timeoutMs: 1000, graceMs: 0 });
  let code: unknown;
  const waiting = executor.execute("asking", {}).then((result) => (code = result.success || result.code));
  await settle();
  await clock.advance(600);
  await clock.advance(50_000);
  ann.answer.resolve("yes");
  await settle();
  await clock.advance(399);
  expect(code).toBeUndefined();
  await clock.advance(1);
  await waiting;
  expect(code).toBe("TOOL_TIMEOUT");
  expect(deadlines).toEqual([1_001_000, 1_051_000]);
  expect(clock.pending).toBe(0);
});

test("ToolContext.awaitPerson() fails once all its waits together took longer than a question may", async () => {
  const codes: unknown[] = [];
  const asking = makeTool("asking", async ({ awaitPerson }) => {
    await awaitPerson(() => new Promise<void>((resolve) => clock.after(700, resolve)));
    const ann = person();
    await awaitPerson(ann.ask).catch((error: { readonly code: string }) => codes.push(error.code));
    codes.push(ann.signal()?.aborted);
    return "without an answer";
  });
  const { executor, clock } = createTestExecutor([asking], { approvalTimeoutMs: 1000 });
  const waiting = executor.execute("asking", {});
  await settle();
  await clock.advance(700);
  await clock.advance(299);
  expect(codes).toEqual([]);
  await clock.advance(1);
  expect(await waiting).toMatchObject({ success: true, result: "without an answer" });
  expect(codes).toEqual(["TOOL_UNANSWERED", true]);
  expect(clock.pending).toBe(0);
});

test("ToolContext.awaitPerson() ends when the caller cancels, and frees no place that the call does not have", async () => {
  const ann = person();
  const asking = makeTool("asking", async ({ awaitPerson }) => awaitPerson(ann.ask));
  const running: string[] = [];
  const counting = (name: string) =>
    makeTool(name, async () => {
      running.push(name);
      await hold.promise;
    });
  const hold = Promise.withResolvers<void>();
  const { executor } = createTestExecutor([asking, counting("one"), counting("two")], { maxConcurrent: 1 });
  const caller = new AbortController();
  const waiting = executor.execute("asking", {}, { signal: caller.signal });
  await settle();
  const others = ["one", "two"].map((name) => executor.execute(name, {}));
  await settle();
  caller.abort();
  expect(await waiting).toMatchObject({ success: false, code: "TOOL_CANCELLED" });
  expect(ann.signal()?.aborted).toBe(true);
  expect(running).toEqual(["one"]);
  hold.resolve();
  await Promise.all(others);
});

test("ToolContext.awaitPerson() of a call that is over takes no place, and asks nobody any more", async () => {
  const ann = person();
  let kept: ToolContext | undefined;
  const leaving = makeTool("leaving", async (context) => {
    kept = context;
    context.awaitPerson(ann.ask).catch(() => {});
    return "gone";
  });
  const { executor, clock } = createTestExecutor([leaving, quick], { maxConcurrent: 1 });
  expect(await executor.execute("leaving", {})).toMatchObject({ result: "gone" });
  await settle();
  expect([ann.signal()?.aborted, clock.pending]).toEqual([true, 0]);
  ann.answer.resolve("late");
  await settle();
  expect(await executor.execute("quick", {})).toMatchObject({ success: true });
  await expect(kept?.awaitPerson(ann.ask)).rejects.toMatchObject({ code: "TOOL_CANCELLED" });
});

test("ToolContext.awaitPerson() lets the clock run while one of two waits is over", async () => {
  const [ann, bob] = [person(), person()];
  const asking = makeTool("asking", async ({ awaitPerson }) => {
    const second = awaitPerson(bob.ask);
    second.catch(() => {});
    await awaitPerson(ann.ask);
    return second;
  });
  const { executor, clock } = createTestExecutor([asking, quick], {
    timeoutMs: 1000,
    maxConcurrent: 1,
    graceMs: 0,
  });
  const waiting = executor.execute("asking", {});
  await settle();
  await clock.advance(5000);
  ann.answer.resolve("yes");
  await settle();
  await clock.advance(1000);
  expect(await waiting).toMatchObject({ code: "TOOL_TIMEOUT" });
  expect(bob.signal()?.aborted).toBe(true);
  expect(await executor.execute("quick", {})).toMatchObject({ success: true });
});

test("ToolContext.wait() gives the call's place to others while the deadline runs on, and takes one again", async () => {
  const [word, hold] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  const waiting = makeTool("waiting", async ({ wait }) => wait(() => word.promise));
  const long = makeTool("long", async () => hold.promise);
  const { executor } = createTestExecutor([waiting, quick, long], { maxConcurrent: 1 });
  let done = false;
  const first = executor.execute("waiting", {}).finally(() => (done = true));
  await settle();
  expect(await executor.execute("quick", {})).toMatchObject({ success: true });
  const other = executor.execute("long", {});
  await settle();
  word.resolve("now");
  await settle();
  expect(done).toBe(false);
  hold.resolve();
  expect(await first).toMatchObject({ success: true, result: "now" });
  await other;
});

test("ToolContext.wait() ends at the deadline, and when the caller cancels, even if what it waits for does not", async () => {
  let given: AbortSignal | undefined;
  const waiting = makeTool("waiting", async ({ wait }) =>
    wait((signal) => {
      given = signal;
      return new Promise(() => {});
    }),
  );
  const { executor, clock } = createTestExecutor([waiting], { timeoutMs: 1000 });
  const late = executor.execute("waiting", {});
  await settle();
  await clock.advance(999);
  expect(given?.aborted).toBe(false);
  await clock.advance(1);
  expect(await late).toMatchObject({ code: "TOOL_TIMEOUT" });
  expect(given?.aborted).toBe(true);
  const cancel = new AbortController();
  const cancelled = executor.execute("waiting", {}, { signal: cancel.signal });
  await settle();
  cancel.abort();
  expect(await cancelled).toMatchObject({ code: "TOOL_CANCELLED" });
});
