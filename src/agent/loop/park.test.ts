import { expect, test } from "vitest";
import { z } from "zod";
import { answered, number, parked, said } from "../../../test/fixtures/agent/entries.ts";
import { MemoryApprovals } from "../../../test/support/questions.ts";
import { defineTool, ToolExecutor, ToolRegistry } from "../../kernel/index.ts";
import { ModelError, type ModelErrorCode } from "../../model/index.ts";
import { createFakeClock, createScriptedChat } from "../../testing/index.ts";
import type { AgentEvent } from "./events.ts";
import { Interrupts } from "./interrupts.ts";
import { MemoryJournal } from "./journal.ts";
import { type PastCall, type PastQuestion, settleCall } from "./past-calls.ts";
import { type LoopParts, runLoop } from "./run-loop.ts";

const never = new AbortController().signal;

function prepare(script: Parameters<typeof createScriptedChat>[0], over: Partial<LoopParts> = {}) {
  const clock = createFakeClock(1_000);
  const registry = new ToolRegistry();
  const done: string[] = [];
  for (const name of ["send", "look", "login"])
    registry.register(
      defineTool({
        name,
        description: "Do it.",
        parameters: z.strictObject(name === "login" ? { password: z.string() } : {}),
        ...(name === "login" && { secretParams: ["password"] }),
        ...(name === "look" ? { annotations: { readOnly: true, openWorld: false } } : { confirm: true }),
        execute: () => {
          done.push(name);
          return `${name} is done`;
        },
      }),
    );
  const approvals = new MemoryApprovals();
  const executor = new ToolExecutor(registry, { approvals, clock });
  const model = createScriptedChat(script);
  const journal = new MemoryJournal({ runId: "r", sessionId: "s", clock });
  journal.post({ sender: "user", parts: [{ type: "text", text: "Begin." }] });
  const events: AgentEvent[] = [];
  const parts: LoopParts = {
    journal,
    model,
    executor,
    makePrefix: async () => ({ model: model.id, system: [], tools: [] }),
    context: () => ({ taskId: "r", personMs: 0 }),
    interrupts: new Interrupts(),
    leave: never,
    emit: (event) => events.push(event),
    maxSteps: 10,
    clock,
    ...over,
  };
  return { parts, journal, approvals, done, events, clock };
}

const calls = [
  { name: "send", input: {} },
  { name: "look", input: {} },
];

test("runLoop() parks a call that nobody has answered, once the other calls have their results", async () => {
  const { parts, journal, approvals, done, events } = prepare([{ calls }], { parks: "all" });
  const end = await runLoop(parts);
  const id = approvals.kept[0]?.approval.id ?? "";
  expect(end).toEqual({
    state: "parked",
    why: "approval",
    waitFor: `approval:${id}`,
    text: `It waits for an answer to ${id}.`,
  });
  expect(journal.entries.slice(2)).toMatchObject([
    { kind: "parked", callId: "r.1.1", waitFor: `approval:${id}` },
    { kind: "result", callId: "r.1.2" },
  ]);
  expect(done).toEqual(["look"]);
  expect(events).toContainEqual({
    type: "call.parked",
    callId: "r.1.1",
    name: "send",
    waitFor: `approval:${id}`,
  });
});

test("runLoop() makes a parked call again under its next id with a yes, and the yes is used up", async () => {
  const { parts, journal, approvals, done } = prepare([{ calls }, "Done."], { parks: "all" });
  await runLoop(parts);
  const id = approvals.kept[0]?.approval.id ?? "";
  const question: PastQuestion[] = [{ state: "open" }];
  const history = { find: async () => undefined, question: async () => question[0] as PastQuestion };
  expect(await runLoop({ ...parts, history })).toMatchObject({ state: "parked", waitFor: `approval:${id}` });
  // It waited before: nothing more is written about that.
  expect(journal.entries).toHaveLength(4);
  await approvals.answer(id, { approved: true, by: "owner:ada" });
  question[0] = { state: "yes" };
  expect(await runLoop({ ...parts, history })).toMatchObject({ state: "completed" });
  expect(done).toEqual(["look", "send"]);
  expect(journal.entries.find((entry) => entry.kind === "result" && entry.name === "send")).toMatchObject({
    callId: "r.1.1",
    failed: false,
  });
  expect(approvals.kept).toMatchObject([{ used: true }]);
});

test("runLoop() parks no call whose answer no later call could use: its refusal is the result", async () => {
  const login = [{ name: "login", input: { password: "hunter2hunter2" } }];
  const { parts, journal, approvals } = prepare([{ calls: login }, "Not in."], { parks: "all" });
  expect(await runLoop(parts)).toMatchObject({ state: "completed" });
  expect(journal.entries[2]).toMatchObject({ kind: "result", failed: true, code: "TOOL_PERMISSION" });
  expect(approvals.kept).toEqual([]);
});

test("runLoop() gives a refusal to the model at once where the run does not park", async () => {
  for (const parks of ["time", undefined] as const) {
    const { parts, journal } = prepare([{ calls }, "Not sent."], { ...(parks !== undefined && { parks }) });
    expect(await runLoop(parts)).toMatchObject({ state: "completed" });
    expect(journal.entries[2]).toMatchObject({ kind: "result", failed: true, code: "TOOL_PERMISSION" });
  }
});

const busy = (code: ModelErrorCode, details: object) => () =>
  new ModelError(code, "Come back later", { details: { ...details } });

test("runLoop() parks a run until its model can be asked again, and fails where it may not or nobody says when", async () => {
  for (const code of ["MODEL_RATE_LIMIT", "MODEL_QUOTA", "MODEL_OVERLOADED"] as const) {
    const { parts, journal } = prepare(busy(code, { retryAfterMs: 600_000 }), { parks: "time" });
    expect(await runLoop(parts)).toEqual({
      state: "parked",
      why: "rate-limit",
      waitFor: "time:601000",
      text: "It waits until 1970-01-01T00:10:01.000Z: Come back later",
    });
    expect(journal.entries.at(-1)).toMatchObject({ kind: "parked", waitFor: "time:601000" });
  }
  const failing = [
    prepare(busy("MODEL_RATE_LIMIT", { retryAfterMs: 600_000 })),
    prepare(busy("MODEL_RATE_LIMIT", {}), { parks: "time" }),
    prepare(busy("MODEL_BAD_REQUEST", { retryAfterMs: 600_000 }), { parks: "time" }),
  ];
  for (const { parts } of failing) expect(await runLoop(parts)).toMatchObject({ state: "failed" });
});

test("runLoop() waits twice as long each time that its model can't be asked, and gives up after a week", async () => {
  const { parts, clock } = prepare(busy("MODEL_QUOTA", { retryAfterMs: 30_000 }), { parks: "all" });
  const waits: number[] = [];
  for (;;) {
    const end = await runLoop(parts);
    if (end.state !== "parked") {
      expect(end).toMatchObject({ state: "failed", code: "MODEL_QUOTA" });
      break;
    }
    const waitMs = Number(end.waitFor.replace("time:", "")) - clock.now();
    waits.push(waitMs);
    await clock.advance(waitMs);
  }
  expect(waits.slice(0, 4)).toEqual([30_000, 60_000, 120_000, 240_000]);
  expect(waits.at(-1)).toBe(21_600_000);
  expect(waits.length).toBeLessThan(50);
});

const call = { callId: "r.1.1", name: "send", input: "{}" };
const refused: PastCall = {
  state: "ended",
  outcome: {
    text: "refused",
    failed: true,
    code: "TOOL_PERMISSION",
    artifactId: undefined,
    notes: [],
    trust: "trusted",
    private: false,
  },
  question: "q",
};

function settle(
  question: PastQuestion,
  {
    mayPark = true,
    isParked = true,
    past = {},
    questionOf,
  }: {
    readonly mayPark?: boolean;
    readonly isParked?: boolean;
    readonly past?: Readonly<Record<string, PastCall>>;
    readonly questionOf?: string;
  } = {},
) {
  return settleCall(call, {
    mayPark,
    history: {
      find: async (id) => past[id],
      question: async () => question,
      questionOf: async () => questionOf,
    },
    entries: number(
      said("x"),
      answered(1, "", ["send"]),
      ...(isParked ? [parked("r.1.1", "approval:q")] : []),
    ),
    clock: createFakeClock(),
    signal: never,
    patience: never,
  });
}

const no: PastQuestion = { state: "no", by: "owner:ada", reason: "not now" };
const make = (attempt: number) => ({ do: "make", callId: `r.1.1~${attempt}` });
const tellNo = { do: "take", entry: { text: expect.stringContaining("owner:ada said no") } };

test("settleCall() makes a parked call with a yes, takes a no for its result, and waits while nobody has answered", async () => {
  expect(await settle({ state: "yes" })).toEqual(make(2));
  expect(await settle({ state: "open" })).toEqual({ do: "wait" });
  expect(await settle({ state: "open" }, { mayPark: false })).toEqual(make(2));
  expect(await settle(no)).toMatchObject({
    do: "take",
    entry: {
      failed: true,
      code: "TOOL_PERMISSION",
      text: expect.stringContaining('owner:ada said no to this call of "send" (not now)'),
    },
  });
  expect(await settle({ state: "over" })).toMatchObject({
    do: "take",
    entry: { text: expect.stringContaining("nobody answered in time") },
  });
});

test("settleCall() parks a call whose process died over that, or goes by the answer that came meanwhile", async () => {
  const died = { isParked: false, past: { "r.1.1": refused } };
  expect(await settle({ state: "open" }, died)).toEqual({
    do: "wait",
    entry: { kind: "parked", callId: "r.1.1", waitFor: "approval:q" },
  });
  expect(await settle({ state: "open" }, { ...died, mayPark: false })).toEqual(make(2));
  expect(await settle({ state: "yes" }, died)).toEqual(make(2));
  expect(await settle(no, died)).toMatchObject(tellNo);
  expect(await settle({ state: "over" }, died)).toMatchObject({ do: "take", entry: { text: "refused" } });
});

test("settleCall() knows a no to a question whose process died before it wrote anything more", async () => {
  const died = { isParked: false, questionOf: "q" };
  expect(await settle(no, died)).toMatchObject(tellNo);
  for (const state of ["open", "yes", "over"] as const)
    expect(await settle({ state }, died)).toEqual({ do: "make", callId: "r.1.1" });
});

test("settleCall() makes a call that was parked twice under its third id, and one that then died under its fourth", async () => {
  const gone: PastCall = { state: "unknown", isRepeatable: true, startedAt: 1 };
  expect(await settle({ state: "yes" }, { past: { "r.1.1~2": refused } })).toEqual(make(3));
  expect(await settle({ state: "yes" }, { past: { "r.1.1~2": refused, "r.1.1~3": gone } })).toEqual(make(4));
});
