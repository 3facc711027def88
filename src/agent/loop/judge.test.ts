import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool, ToolExecutor, ToolRegistry, type Trust } from "../../kernel/index.ts";
import { createFakeClock, createScriptedChat, type ScriptedTurn } from "../../testing/index.ts";
import { Interrupts } from "./interrupts.ts";
import { MemoryJournal } from "./journal.ts";
import { type LoopParts, runLoop } from "./run-loop.ts";

const fail = (n: number) => ({ name: "fail", input: { n } });
const rounds = [1, 2, 3].map((n) => ({ calls: [fail(n)] }));

const verdict = (said: object) => ({
  text: JSON.stringify({ assessment: "The door is locked.", lessons: [], ...said }),
});

async function drive(
  script: readonly ScriptedTurn[],
  over: Partial<LoopParts> = {},
  trust: Trust = "trusted",
) {
  const clock = createFakeClock();
  const registry = new ToolRegistry();
  registry.register(
    defineTool({
      name: "fail",
      description: "Fail, unless n is 9.",
      parameters: z.strictObject({ n: z.number() }),
      annotations: { readOnly: true, openWorld: false },
      execute: ({ n }) => {
        if (n !== 9) throw new Error("The door is locked");
        return "open";
      },
    }),
  );
  const model = createScriptedChat(script);
  const journal = new MemoryJournal({ runId: "r", sessionId: "s", clock });
  journal.post({ sender: "user", parts: [{ type: "text", text: "Open the door." }], trust });
  const end = await runLoop({
    journal,
    model,
    executor: new ToolExecutor(registry),
    makePrefix: async () => ({ model: model.id, system: [], tools: [] }),
    context: () => ({ taskId: "r" }),
    interrupts: new Interrupts(),
    leave: new AbortController().signal,
    emit: () => {},
    maxSteps: 20,
    judges: true,
    ...over,
  });
  const notes = journal.entries.flatMap((entry) => (entry.kind === "note" ? [entry] : []));
  return { end, model, notes, journal };
}

test("after three failures in a row the model is asked once how to go on, and told what it said", async () => {
  const { end, model, notes } = await drive([
    ...rounds,
    verdict({ verdict: "replan", lessons: ["Knocking does nothing."], nextFocus: "Find the key." }),
    { calls: [fail(9)] },
    "It is open.",
  ]);
  expect(end).toMatchObject({ state: "completed", text: "It is open." });
  const asked = model.asked[3];
  expect(asked?.tools).toEqual([]);
  expect(JSON.stringify(asked?.messages)).toContain("Open the door.");
  expect(JSON.stringify(asked?.messages)).toContain("The door is locked");
  expect(notes.map(({ about }) => about)).toEqual(["verdict"]);
  expect(notes[0]?.text).toBe(
    "The door is locked.\n- Knocking does nothing.\nNext: Find the key.\nGo about it another way, and say in a few words how before the next call.",
  );
  expect(JSON.stringify(model.asked[4]?.messages)).toContain("Find the key.");
});

test("the verdict `complete` winds the run up: its last answer makes no calls", async () => {
  const { end, model } = await drive([
    ...rounds,
    verdict({ verdict: "complete" }),
    { calls: [fail(4)] },
    "The door can't be opened.",
  ]);
  expect(end).toMatchObject({ state: "completed", text: "The door can't be opened." });
  expect(model.asked.slice(4).map(({ toolChoice }) => toolChoice)).toEqual(["none", "none"]);
  expect(JSON.stringify(model.asked[5]?.messages)).toContain("Not run: the work is at its end.");
});

test("failures after a verdict are counted anew, and a success between them ends the row", async () => {
  const { model, notes } = await drive([
    { calls: [fail(1)] },
    { calls: [fail(2)] },
    { calls: [fail(9)] },
    { calls: [fail(3), fail(4)] },
    { calls: [fail(5)] },
    verdict({ verdict: "continue" }),
    { calls: [fail(6)] },
    { calls: [fail(7)] },
    "No.",
  ]);
  expect(notes.map(({ about }) => about)).toEqual(["verdict"]);
  expect(model.asked).toHaveLength(9);
});

test("nothing is judged unless it is asked for, and the requests are as before", async () => {
  const { model, notes } = await drive([...rounds, "No."], { judges: false });
  expect([model.asked.length, notes]).toEqual([4, []]);
});

test("a verdict that can't be had costs the run nothing but a note, and is not asked for again", async () => {
  const { end, model, notes } = await drive([...rounds, "I say so.", "I still say so.", "No."]);
  expect(end).toMatchObject({ state: "completed", text: "No." });
  expect(model.asked).toHaveLength(6);
  expect(notes[0]?.text).toContain("Three calls in a row have failed.");
});

test("a request for a verdict keeps within the budgets", async () => {
  const purposes: string[] = [];
  const { model, notes } = await drive([...rounds, "No."], {
    meter: async ({ purpose }) => {
      purposes.push(purpose);
      if (purpose === "judge")
        return { do: "pause", why: "spent", use: { scope: "run", kind: "tokens", limit: 1, spent: 1 } };
      return {
        do: "go",
        maxTokens: 1_000,
        near: [],
        ended: async () => ({
          inputTokens: 0,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: 0,
          reasoningTokens: 0,
          costMicros: 0,
          priced: "no",
        }),
        failed: async () => {},
        retried: async () => {
          throw new Error("not retried");
        },
      };
    },
  });
  expect(purposes).toEqual(["step", "step", "step", "judge", "step"]);
  expect(model.asked).toHaveLength(4);
  expect(notes[0]?.text).toContain("Three calls in a row have failed.");
});

test("a verdict on what came from outside is untrusted", async () => {
  const script = [...rounds, verdict({ verdict: "continue" }), "No."];
  expect((await drive(script)).notes[0]?.trust).toBe("trusted");
  expect((await drive(script, {}, "untrusted")).notes[0]?.trust).toBe("untrusted");
});
