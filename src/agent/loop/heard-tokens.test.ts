import { expect, test } from "vitest";
import { said } from "../../../test/fixtures/agent/entries.ts";
import { collect } from "../../../test/support/model-server.ts";
import { ToolExecutor, ToolRegistry } from "../../kernel/index.ts";
import { type ChatEvent, type ChatModel, ModelError } from "../../model/index.ts";
import type { NewEntry } from "../../modules/sessions/index.ts";
import { createFakeClock, createScriptedChat } from "../../testing/index.ts";
import { compactNow } from "../compaction/compact.ts";
import { meterChat } from "../usage/metered-chat.ts";
import type { FailedCall, MeteredCall } from "../usage/usage-meter.ts";
import { Interrupts } from "./interrupts.ts";
import { MemoryJournal } from "./journal.ts";
import { runLoop } from "./run-loop.ts";

const never = new AbortController().signal;
const text = "word ".repeat(80); // 100 tokens
const cut = new ModelError("MODEL_CUT", "it is cut off");

/** A meter that notes which requests failed. */
function noteFailures(): { readonly failures: FailedCall[]; readonly call: MeteredCall } {
  const failures: FailedCall[] = [];
  const call: MeteredCall = {
    do: "go",
    maxTokens: 1_000,
    near: [],
    ended: async () => ({ ...none, costMicros: 0, priced: "table" }),
    failed: async (failure) => void failures.push(failure),
    retried: async ({ code, outputTokens }) => {
      failures.push({ code, ...(outputTokens !== undefined && { outputTokens }) });
      return call;
    },
  };
  return { failures, call };
}

const none = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
} as const;

/** A model that streams these events, and then fails. */
function failing(...events: readonly ChatEvent[]): ChatModel {
  return {
    ...createScriptedChat([]),
    async *stream() {
      yield* events;
      throw cut;
    },
  };
}

function makeJournal(): MemoryJournal {
  const journal = new MemoryJournal({ runId: "r", sessionId: "s", clock: createFakeClock() });
  journal.post({ sender: "user", parts: [{ type: "text", text: "Go." }] });
  return journal;
}

const piece: ChatEvent = { type: "text", delta: text };
const withdrawn: ChatEvent = {
  type: "withdrawn",
  code: "MODEL_CUT",
  message: "cut",
  next: "other",
  waitMs: 0,
};

test("an answer that is never whole counts with the tokens that came of it, thoughts and calls too", async () => {
  const { failures, call } = noteFailures();
  const model = failing(
    { type: "reasoning", delta: text },
    piece,
    { type: "call-start", id: "c", name: "read" },
    { type: "call-delta", id: "c", delta: text },
    withdrawn,
    piece,
    withdrawn,
  );
  await runLoop({
    journal: makeJournal(),
    model,
    executor: new ToolExecutor(new ToolRegistry()),
    makePrefix: async () => ({ model: model.id, system: [], tools: [] }),
    context: () => ({}),
    interrupts: new Interrupts(),
    leave: never,
    emit: () => {},
    maxSteps: 3,
    meter: async () => call,
  });
  expect(failures).toEqual([
    { code: "MODEL_CUT", outputTokens: 300 },
    { code: "MODEL_CUT", outputTokens: 100 },
    { code: "MODEL_CUT", outputTokens: 0 },
  ]);
});

test("a model that no run asks counts with the tokens that came of an answer, also where nobody read on", async () => {
  const { failures, call } = noteFailures();
  const counted = meterChat(failing(piece), {
    meter: { before: async () => call },
    scope: "s",
    purpose: "memory",
  });
  const ask = () => counted.stream({ system: [], messages: [], tools: [], signal: never });
  await expect(collect(ask())).rejects.toThrow(cut);
  for await (const _ of ask()) break;
  expect(failures).toEqual([
    { code: "MODEL_CUT", outputTokens: 100 },
    { code: "INTERRUPTED", outputTokens: 100 },
  ]);
});

test("a summary that is never whole counts with the tokens that came of it", async () => {
  const { failures, call } = noteFailures();
  const model = failing(piece);
  const journal = makeJournal();
  const long: NewEntry = { ...said("x"), tokens: 40_000 };
  await journal.write({
    prefix: { model: model.id, system: [], tools: [] },
    entries: [
      long,
      {
        kind: "answer",
        step: 1,
        model: model.id,
        stop: "end",
        message: { role: "assistant", parts: [{ type: "text", text: "So." }] },
      },
    ],
  });
  const done = await compactNow({
    journal,
    model,
    makePrefix: async () => ({ model: model.id, system: [], tools: [] }),
    meter: async () => call,
    signal: never,
  });
  expect(done).toEqual({ did: "summarise" });
  expect(failures).toEqual([{ code: "MODEL_CUT", outputTokens: 100 }]);
});
