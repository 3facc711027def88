import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool, ToolExecutor, ToolRegistry } from "../../kernel/index.ts";
import { ModelError } from "../../model/index.ts";
import { createFakeClock, createScriptedChat, type ScriptedTurn } from "../../testing/index.ts";
import type { AgentEvent } from "./events.ts";
import { Interrupts } from "./interrupts.ts";
import { MemoryJournal } from "./journal.ts";
import { type LoopParts, runLoop } from "./run-loop.ts";

const clock = createFakeClock();
const never = new AbortController().signal;

function makeJournal(text: string): MemoryJournal {
  const journal = new MemoryJournal({ runId: "r", sessionId: "s", clock });
  journal.post({ sender: "user", parts: [{ type: "text", text }] });
  return journal;
}

function makeExecutor(done: string[] = []): ToolExecutor {
  const registry = new ToolRegistry();
  registry.register(
    defineTool({
      name: "note",
      description: "Note a text.",
      parameters: z.strictObject({ text: z.string() }),
      annotations: { readOnly: true, openWorld: false },
      execute: ({ text }) => {
        done.push(text);
        return `noted ${text}`;
      },
    }),
  );
  registry.register(
    defineTool({
      name: "hang",
      description: "Wait for ever.",
      parameters: z.strictObject({}),
      annotations: { readOnly: true, openWorld: false },
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    }),
  );
  return new ToolExecutor(registry);
}

interface Driven {
  readonly journal: MemoryJournal;
  readonly events: readonly AgentEvent[];
  readonly parts: LoopParts;
}

function prepare(
  script: readonly ScriptedTurn[],
  over: Partial<LoopParts> = {},
): Driven & { chat: ReturnType<typeof createScriptedChat> } {
  const chat = createScriptedChat(script);
  const journal = makeJournal("Begin.");
  const events: AgentEvent[] = [];
  const parts: LoopParts = {
    journal,
    model: chat,
    executor: makeExecutor(),
    makePrefix: async () => ({ model: chat.id, system: [{ text: "Be brief." }], tools: [] }),
    context: () => ({ taskId: "r" }),
    interrupts: new Interrupts(),
    leave: never,
    emit: (event) => events.push(event),
    maxSteps: 10,
    ...over,
  };
  return { journal, events, parts, chat };
}

const note = (text: string) => ({ name: "note", input: { text } });

test("runLoop() makes the calls of an answer, and ends with an answer that makes none", async () => {
  const done: string[] = [];
  const { journal, parts, events, chat } = prepare(
    [{ text: "I note.", calls: [note("a"), note("b")] }, "Both are noted."],
    { executor: makeExecutor(done) },
  );
  expect(await runLoop(parts)).toEqual({ state: "completed", stop: "end", text: "Both are noted." });
  expect(done).toEqual(["a", "b"]);
  expect(journal.entries.map((entry) => entry.kind)).toEqual([
    "user",
    "answer",
    "result",
    "result",
    "answer",
  ]);
  expect(journal.entries[2]).toMatchObject({ callId: "r.1.1", text: "noted a", failed: false });
  expect(chat.prefixChange()).toBeUndefined();
  expect(events.map(({ type }) => type)).toEqual([
    "run.began",
    "message.taken",
    "step.began",
    "answer.text",
    "answer.ended",
    "call.began",
    "call.began",
    "call.ended",
    "call.ended",
    "step.began",
    "answer.text",
    "answer.ended",
    "run.ended",
  ]);
});

test("runLoop() tells the model of a call that the gate refuses, and of arguments that are no JSON", async () => {
  const { journal, parts } = prepare([
    { calls: [{ name: "note", input: '{"text": ' }, { name: "missing" }] },
    "I see.",
  ]);
  await runLoop(parts);
  const results = journal.entries.filter((entry) => entry.kind === "result");
  expect(results).toMatchObject([
    { failed: true, code: "TOOL_VALIDATION" },
    { failed: true, code: "TOOL_NOT_FOUND" },
  ]);
});

test("runLoop() makes no call of an answer that was cut off", async () => {
  const done: string[] = [];
  const { journal, parts } = prepare([{ calls: [note("a")], stop: "length" }, "I try smaller."], {
    executor: makeExecutor(done),
  });
  await runLoop(parts);
  expect(done).toEqual([]);
  expect(journal.entries[2]).toMatchObject({ kind: "result", failed: true });
});

test("runLoop() ends what runs when it is interrupted, says so to the model, and reads what is next", async () => {
  const { journal, parts } = prepare([{ calls: [{ name: "hang" }] }, "I stop."]);
  const run = runLoop({
    ...parts,
    emit: (event) => {
      if (event.type !== "call.began") return;
      journal.post({ sender: "user", parts: [{ type: "text", text: "Stop." }], how: "interrupt" });
      queueMicrotask(() => parts.interrupts.interrupt("the user"));
    },
  });
  expect(await run).toMatchObject({ state: "completed", text: "I stop." });
  expect(journal.entries.map((entry) => entry.kind)).toEqual([
    "user",
    "answer",
    "interrupt",
    "result",
    "user",
    "answer",
  ]);
  expect(journal.entries[3]).toMatchObject({ code: "TOOL_CANCELLED" });
});

test("runLoop() stops where it is interrupted while the model answers, and nobody says anything", async () => {
  const { journal, parts, events } = prepare([{ text: "Once upon a time", pieceChars: 4 }]);
  const run = runLoop({
    ...parts,
    emit: (event) => {
      parts.emit(event);
      if (event.type === "answer.text") parts.interrupts.interrupt("the user");
    },
  });
  expect(await run).toEqual({ state: "stopped", stop: "interrupted", text: "" });
  expect(journal.entries.map((entry) => entry.kind)).toEqual(["user", "interrupt"]);
  expect(events.map(({ type }) => type)).toContain("answer.withdrawn");
});

test("runLoop() ends the other calls where one can't be made, and throws why once they have ended", async () => {
  const fault = new Error("There is no context");
  const { journal, parts, events } = prepare(
    [{ calls: [{ name: "hang", input: {} }, note("a"), { name: "hang", input: {} }] }],
    {
      readArguments: (name, given) => {
        if (name === "note") throw fault;
        return given;
      },
    },
  );
  await expect(runLoop(parts)).rejects.toBe(fault);
  const codes = events.flatMap((event) => (event.type === "call.ended" ? [event.result.code] : []));
  expect(codes).toEqual(["TOOL_CANCELLED", "TOOL_CANCELLED"]);
  expect(journal.entries.at(-1)?.kind).toBe("answer");
});

test("runLoop() writes nothing after its process was told to leave", async () => {
  const leave = new AbortController();
  const { journal, parts } = prepare([{ calls: [{ name: "hang" }] }], { leave: leave.signal });
  const run = runLoop({
    ...parts,
    emit: (event) => {
      if (event.type === "call.began") queueMicrotask(() => leave.abort(new Error("the program ends")));
    },
  });
  await expect(run).rejects.toThrow("the program ends");
  expect(journal.entries.map((entry) => entry.kind)).toEqual(["user", "answer"]);
});

test("runLoop() goes on where the entries end", async () => {
  const done: string[] = [];
  const { journal, parts, chat } = prepare(["Done."], { executor: makeExecutor(done) });
  await journal.write({
    prefix: await parts.makePrefix(),
    entries: [
      { kind: "user", parts: [{ type: "text", text: "Note a and b." }] },
      {
        kind: "answer",
        step: 1,
        model: "scripted",
        stop: "calls",
        message: {
          role: "assistant",
          parts: [
            { type: "call", id: "1", name: "note", input: '{"text":"a"}' },
            { type: "call", id: "2", name: "note", input: '{"text":"b"}' },
          ],
        },
      },
      { kind: "result", callId: "r.1.1", name: "note", text: "noted a", failed: false },
    ],
    run: { steps: 1 },
    taken: ["i_1"],
  });
  expect(await runLoop(parts)).toMatchObject({ state: "completed", text: "Done." });
  expect(done).toEqual(["b"]);
  expect(chat.asked[0]?.messages).toMatchObject([
    { role: "user" },
    { role: "assistant" },
    { role: "tool", results: [{ text: "noted a" }, { text: "noted b" }] },
  ]);
  expect(journal.entries.at(-1)).toMatchObject({ kind: "answer", step: 2 });
});

test("runLoop() pauses at the limit of steps, after the model said where things stand", async () => {
  const { parts, chat } = prepare(
    [{ calls: [note("a")] }, { calls: [note("b")] }, "Two are noted, one is left."],
    { maxSteps: 2 },
  );
  expect(await runLoop(parts)).toEqual({
    state: "paused",
    why: "steps",
    text: "Two are noted, one is left.",
  });
  expect(chat.asked.map(({ toolChoice }) => toolChoice)).toEqual([undefined, undefined, "none"]);
});

test("runLoop() fails with the words of the provider, and keeps nothing of the answer", async () => {
  const error = new ModelError("MODEL_AUTH", "The key is wrong");
  const { journal, parts } = prepare([error]);
  expect(await runLoop(parts)).toEqual({ state: "failed", code: "MODEL_AUTH", text: "The key is wrong" });
  expect(journal.entries.map((entry) => entry.kind)).toEqual(["user"]);
});

test("runLoop() throws what is no fault of the model", async () => {
  const { parts } = prepare([new TypeError("a fault of ours")]);
  await expect(runLoop(parts)).rejects.toThrow("a fault of ours");
});

test("runLoop() makes room where the provider says that a request is too long, and goes on", async () => {
  const tooLong = new ModelError("MODEL_CONTEXT", "too long");
  const { journal, parts, events } = prepare([
    { calls: [note("a".repeat(400))] },
    tooLong,
    "Goal: notes.",
    "Done.",
  ]);
  expect(await runLoop(parts)).toMatchObject({ state: "completed", text: "Done." });
  expect(events).toContainEqual({ type: "compacted", by: "summarise" });
  expect(journal.entries[0]).toMatchObject({ kind: "summary" });
});

test("runLoop() pauses where a retry would go over a budget, and makes no further request", async () => {
  const { parts, chat } = prepare([]);
  let requests = 0;
  const model: LoopParts["model"] = {
    ...chat,
    async *stream() {
      requests++;
      yield { type: "withdrawn", code: "MODEL_CUT", message: "cut off", next: chat.id, waitMs: 0 };
      requests++;
      throw new Error("nobody reads on");
    },
  };
  const use = { scope: "run", kind: "steps", limit: 1, spent: 1 } as const;
  const end = await runLoop({
    ...parts,
    model,
    meter: async () => ({
      do: "go",
      maxTokens: 100,
      near: [],
      ended: () => Promise.reject(new Error("nothing was answered")),
      failed: async () => undefined,
      retried: async () => ({ do: "pause", why: "spent", use }),
    }),
  });
  expect(end).toMatchObject({ state: "paused", why: "budget" });
  expect(requests).toBe(1);
});

test("runLoop() pauses where there is no room for more", async () => {
  const { parts } = prepare(Array.from({ length: 9 }, () => new ModelError("MODEL_CONTEXT", "too long")));
  expect(await runLoop(parts)).toMatchObject({
    state: "paused",
    why: "context",
    text: expect.stringContaining("Its provider refused the last one: too long."),
  });
});

test("runLoop() tells the model once that its answer is empty, and ends where the next is, too", async () => {
  const { parts, events } = prepare(["", ""]);
  expect(await runLoop(parts)).toEqual({ state: "completed", stop: "empty", text: "" });
  expect(events.filter(({ type }) => type === "note")).toHaveLength(1);
});

test("runLoop() makes none of the calls of an earlier process while it can't be told what became of one", async () => {
  const done: string[] = [];
  const { journal, parts } = prepare([], { executor: makeExecutor(done) });
  await journal.write({
    prefix: await parts.makePrefix(),
    entries: [
      {
        kind: "answer",
        step: 1,
        model: "scripted",
        stop: "calls",
        message: {
          role: "assistant",
          parts: ["a", "b"].map((text, at) => ({
            type: "call",
            id: `${at}`,
            name: "note",
            input: JSON.stringify({ text }),
          })),
        },
      },
    ],
    run: { steps: 1 },
    taken: ["i_1"],
  });
  const history = {
    find: (callId: string) =>
      callId === "r.1.2" ? Promise.reject(new Error("the store is busy")) : Promise.resolve(undefined),
  };
  await expect(runLoop({ ...parts, history })).rejects.toThrow("the store is busy");
  expect(done).toEqual([]);
});

test("runLoop() counts the request for a summary, too", async () => {
  const purposes: string[] = [];
  const { parts } = prepare(
    [
      { calls: [note("a".repeat(400))] },
      new ModelError("MODEL_CONTEXT", "too long"),
      "Goal: notes.",
      "Done.",
    ],
    {
      meter: async ({ purpose }) => {
        purposes.push(purpose);
        return {
          do: "go",
          maxTokens: 1000,
          near: [],
          ended: async () => ({}) as never,
          failed: async () => {},
          retried: async () => ({}) as never,
        };
      },
    },
  );
  expect(await runLoop(parts)).toMatchObject({ state: "completed" });
  expect(purposes).toEqual(["step", "step", "compact", "step"]);
});

test("runLoop() ends a run whose answer is longer than an entry may be, and says what to do", async () => {
  const { journal, parts, events } = prepare(["x".repeat(8_000_001)]);
  expect(await runLoop(parts)).toMatchObject({
    state: "failed",
    code: "MODEL_ANSWER",
    text: expect.stringContaining("at most 8000000 are kept"),
  });
  expect(journal.entries.filter(({ kind }) => kind === "answer")).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: "run.ended" });
});

test("runLoop() sums up under the cache key of the session, and a summary of what is private is private", async () => {
  const tooLong = new ModelError("MODEL_CONTEXT", "too long");
  const { journal, parts, chat } = prepare([tooLong, "Goal: notes.", "Done."]);
  const secret = { text: "a secret", failed: false, private: true, tokens: 90 };
  await journal.write({
    entries: [
      { kind: "user", parts: [{ type: "text", text: "Begin." }], tokens: 10 },
      {
        kind: "answer",
        step: 1,
        model: "scripted",
        stop: "calls",
        tokens: 10,
        message: { role: "assistant", parts: [{ type: "call", id: "1", name: "note", input: "{}" }] },
      },
      { kind: "result", callId: "r.1.1", name: "note", ...secret },
    ],
    run: { steps: 1 },
    taken: ["i_1"],
  });
  expect(await runLoop(parts)).toMatchObject({ state: "completed", text: "Done." });
  expect(journal.entries[0]).toMatchObject({ kind: "summary", private: true });
  expect(chat.asked.map(({ cacheKey }) => cacheKey)).toEqual(["s", "s", "s"]);
});
