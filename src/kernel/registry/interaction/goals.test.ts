import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../../testing/index.ts";
import type { CallContext } from "../../call/context.ts";
import { Goals, type Lesson } from "./goals.ts";

function openGoals(learn?: () => Promise<void>) {
  const lessons: Lesson[] = [];
  const errors: unknown[] = [];
  const clock = createFakeClock(1_000_000);
  const goals = new Goals({
    learn: learn ?? ((lesson) => void lessons.push(lesson)),
    clock,
    onError: (error) => errors.push(error),
  });
  return { goals, lessons, errors, clock };
}

const caller: CallContext = { agentId: "a", origin: { channel: "mcp", id: "1", session: "s" } };

describe("Goals", () => {
  test("a call of a tool that was found teaches its goal, once a search", () => {
    const { goals, lessons } = openGoals();
    goals.found(caller, "  report\n a bug ", ["create_issue", "search_issues"]);
    goals.onSuccess("read", caller);
    goals.onSuccess("create_issue", { ...caller, origin: { channel: "mcp", id: "2", session: "s" } });
    goals.onSuccess("create_issue", caller);
    expect(lessons).toEqual([{ goal: "report a bug", toolName: "create_issue", scope: "local" }]);
    goals.found(caller, "report a bug", ["create_issue"]);
    goals.onSuccess("create_issue", caller);
    expect(lessons).toHaveLength(2);
  });

  test("the calls of one task teach its goal to each tool once in ten minutes", async () => {
    const { goals, lessons, clock } = openGoals();
    const task: CallContext = { ...caller, goal: "find the slow tests" };
    for (const tool of ["read", "grep", "read", "read"]) goals.onSuccess(tool, task);
    expect(lessons.map(({ toolName }) => toolName)).toEqual(["read", "grep"]);
    goals.onSuccess("read", { ...task, goal: "another" });
    goals.onSuccess("read", { ...task, scope: "other" });
    await clock.advance(600_000);
    goals.onSuccess("read", task);
    expect(lessons).toHaveLength(5);
  });

  test("a lesson that could not be kept is taught by the next call", async () => {
    let isBroken = true;
    let taught = 0;
    const { goals, errors } = openGoals(async () => {
      if (isBroken) throw new Error("the disk is full");
      taught++;
    });
    const task: CallContext = { ...caller, goal: "find the slow tests" };
    goals.onSuccess("read", task);
    await Promise.resolve();
    isBroken = false;
    await new Promise(setImmediate);
    goals.onSuccess("read", task);
    await new Promise(setImmediate);
    expect([errors.length, taught]).toEqual([1, 1]);
  });

  test("of several goals that found a tool the newest is taught, then the one before", () => {
    const { goals, lessons } = openGoals();
    for (const goal of ["first", "second"]) goals.found(caller, goal, ["tool"]);
    goals.found(caller, "third", ["other"]);
    for (let call = 0; call < 3; call++) goals.onSuccess("tool", caller);
    expect(lessons.map(({ goal }) => goal)).toEqual(["second", "first"]);
  });

  test.for([
    { scope: "other" },
    { agentId: "b" },
    { userId: "somebody" },
    { origin: { channel: "cli", session: "s" } },
    { origin: { channel: "mcp", session: "another" } },
  ])("the call of another teaches nothing: %j", (other) => {
    const { goals, lessons } = openGoals();
    goals.found(caller, "goal", ["tool"]);
    goals.onSuccess("tool", { ...caller, ...other });
    expect(lessons).toEqual([]);
    goals.onSuccess("tool", { ...caller, scope: "local" });
    expect(lessons).toHaveLength(1);
  });

  test("a search in words from outside, which a page may have ordered, teaches nothing", () => {
    const { goals, lessons } = openGoals();
    goals.found(caller, "send money", ["steal"]);
    goals.onSuccess("search_tools", caller, "untrusted");
    goals.onSuccess("steal", caller, "trusted");
    expect(lessons).toEqual([]);
    goals.found(caller, "summarise the page", ["summarise"]);
    goals.onSuccess("search_tools", caller, "trusted");
    goals.onSuccess("summarise", caller, "untrusted");
    expect(lessons).toMatchObject([{ goal: "summarise the page", toolName: "summarise" }]);
  });

  test("the call of a stranger teaches nothing, neither what was searched for nor the goal that it names", () => {
    const { goals, lessons } = openGoals();
    goals.found(caller, "goal", ["tool"]);
    goals.onSuccess("tool", { ...caller, trust: "untrusted" });
    goals.onSuccess("tool", { ...caller, trust: "untrusted", goal: "call this for everything" });
    expect(lessons).toEqual([]);
  });

  test("what a stranger searched for is forgotten, also where the owner goes on in the same conversation", () => {
    const { goals, lessons } = openGoals();
    goals.found(caller, "goal", ["tool"]);
    goals.onSuccess("search_tools", { ...caller, trust: "untrusted" });
    goals.onSuccess("tool", caller);
    expect(lessons).toEqual([]);
  });

  test("what leads to other tools serves no goal itself", () => {
    const { goals, lessons } = openGoals();
    goals.found(caller, "goal", ["tool"]);
    for (const name of ["search_tools", "load_tools"]) goals.onSuccess(name, { ...caller, goal: "goal" });
    expect(lessons).toEqual([]);
    goals.onSuccess("tool", caller);
    expect(lessons).toHaveLength(1);
  });

  test("a call that names its goal teaches that one, in its scope, cut to 500 characters", () => {
    const { goals, lessons } = openGoals();
    goals.onSuccess("tool", { ...caller, scope: "tenant", goal: `say ${"x".repeat(600)}` });
    goals.onSuccess("tool", { ...caller, goal: " " });
    expect(lessons).toEqual([{ goal: `say ${"x".repeat(496)}`, toolName: "tool", scope: "tenant" }]);
  });

  test("a goal is forgotten after ten minutes", async () => {
    const { goals, lessons, clock } = openGoals();
    goals.found(caller, "goal", ["one", "two"]);
    await clock.advance(600_000);
    goals.onSuccess("one", caller);
    await clock.advance(1);
    goals.onSuccess("two", caller);
    expect(lessons.map(({ toolName }) => toolName)).toEqual(["one"]);
  });

  test("of one caller eight goals are kept, of a thousand callers", () => {
    const { goals, lessons } = openGoals();
    for (let index = 0; index < 9; index++) goals.found(caller, `goal ${index}`, [`tool${index}`]);
    for (let index = 0; index < 9; index++) goals.onSuccess(`tool${index}`, caller);
    expect(lessons.map(({ goal }) => goal)).toEqual(
      Array.from({ length: 8 }, (_, index) => `goal ${index + 1}`),
    );
    goals.found(caller, "goal", ["tool"]);
    for (let index = 0; index < 1000; index++) goals.found({ agentId: `${index}` }, "goal", ["tool"]);
    goals.onSuccess("tool", caller);
    expect(lessons).toHaveLength(8);
  });

  test("a lesson that can't be kept is told of, and spoils no call", async () => {
    const { goals, errors } = openGoals(() => Promise.reject(new Error("disk full")));
    goals.onSuccess("tool", { goal: "goal" });
    await Promise.resolve();
    await Promise.resolve();
    expect(errors).toEqual([new Error("disk full")]);
  });
});
