import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { summaryRequest } from "../../src/agent/compaction/summary-text.ts";
import { type AgentEvent, driveRun, Interrupts, type RunEnd } from "../../src/agent/index.ts";
import { openStore } from "../../src/app/store/index.ts";
import { defineTool, ToolExecutor, ToolRegistry } from "../../src/kernel/index.ts";
import type { ChatRequest } from "../../src/model/index.ts";
import { createScriptedChat, type ScriptedTurn } from "../../src/testing/index.ts";

/** The limit of requests is 24,000 tokens then; a compaction begins at 19,200, and 14,400 are enough after it. */
const facts = { contextTokens: 40_000, maxOutputTokens: 4_000 };
const fullAt = 20;
const enough = 14_400;

interface World {
  /** The provider's count of the first request after each summary. */
  readonly counts: readonly number[];
  /** The process dies right behind the first answer after the summary of this number. @default none of them */
  readonly diesAfter?: number | undefined;
}

/** What the model was asked, in order: the step, or the summary that it was asked for. */
type Asked = "step" | "summary";

/** Drives one run in a store on disk, through as many processes as it takes. */
async function live({ counts, diesAfter }: World): Promise<{
  readonly end: RunEnd | undefined;
  readonly asked: readonly Asked[];
  readonly kept: readonly number[];
}> {
  const path = join(mkdtempSync(join(tmpdir(), "haft-progress-")), "haft.db");
  const asked: Asked[] = [];
  let steps = 0;
  let summaries = 0;
  let sinceSummary = 0;
  const answer = ({ messages }: ChatRequest): ScriptedTurn => {
    const isSummary = JSON.stringify(messages.at(-1)).includes(JSON.stringify(summaryRequest).slice(1, -1));
    asked.push(isSummary ? "summary" : "step");
    if (isSummary) {
      summaries++;
      sinceSummary = 0;
      return { text: "Goal: it goes on.", usage: { inputTokens: 15_000 } };
    }
    steps++;
    sinceSummary++;
    const first = sinceSummary === 1 ? counts[summaries - 1] : undefined;
    const inputTokens = first ?? (summaries === 0 ? (steps === fullAt ? 19_500 : 9_000) : 10_000);
    if (summaries > 0 && sinceSummary === 3) return { text: "Done.", usage: { inputTokens } };
    const text = `Step ${steps}. ${"word ".repeat(500)}`;
    return { text, calls: [{ name: "look", input: { step: steps } }], usage: { inputTokens } };
  };
  let end: RunEnd | undefined;
  let runId: string | undefined;
  const kept: number[] = [];
  for (let process = 1; process <= 2 && end === undefined; process++) {
    await using store = await openStore({ path });
    if (runId === undefined) {
      const { id: sessionId } = await store.sessions.open({ scope: "s", agentId: "main", channel: "test" });
      await store.sessions.post({
        scope: "s",
        sessionId,
        sender: "user",
        parts: [{ type: "text", text: "Go." }],
      });
      runId = (await store.runs.begin({ scope: "s", kind: "turn", sessionId })).id;
    }
    const left = new AbortController();
    const model = createScriptedChat(answer, { facts });
    const registry = new ToolRegistry();
    registry.register(
      defineTool({
        name: "look",
        description: "Look at something.",
        parameters: z.strictObject({ step: z.int() }),
        annotations: { readOnly: true, openWorld: false },
        execute: ({ step }) => `looked at ${step}`,
      }),
    );
    const emit = (event: AgentEvent) => {
      if (event.type === "answer.ended" && summaries === diesAfter && sinceSummary === 1 && process === 1)
        left.abort(new Error("the process ends"));
    };
    end = await driveRun({
      store,
      scope: "s",
      runId,
      model,
      executor: new ToolExecutor(registry),
      makePrefix: async () => ({ model: model.id, system: [{ text: "Be brief." }], tools: [] }),
      context: () => ({ taskId: "r" }),
      interrupts: new Interrupts(),
      leave: left.signal,
      emit,
      maxSteps: 60,
    }).catch((thrown: unknown) => {
      if (!left.signal.aborted) throw thrown;
      return undefined;
    });
    const run = await store.runs.get("s", runId);
    const entries = await store.sessions.entries("s", run?.sessionId ?? "");
    if (end !== undefined)
      for (const entry of entries)
        if (entry.kind === "summary")
          kept.push(
            entries
              .filter(({ seq }) => seq >= entry.keptFrom && seq < entry.seq)
              .reduce((sum, { tokens }) => sum + tokens, 0),
          );
  }
  return { end, asked, kept };
}

const before = Array.from({ length: fullAt }, (): Asked => "step");

test("a run goes on after one summary whose first request has at most 60 % of the limit", async () => {
  const { end, asked } = await live({ counts: [enough] });
  expect(end).toMatchObject({ state: "completed", text: "Done." });
  expect(asked).toEqual([...before, "summary", "step", "step", "step"]);
});

test.for([[0], [1]])(
  "a summary whose first request has more is made again with half the kept tokens (its process dies after summary %s)",
  async ([diesAfter]) => {
    const { end, asked, kept } = await live({
      counts: [enough + 1, enough],
      diesAfter,
    });
    expect(end).toMatchObject({ state: "completed", text: "Done." });
    expect(asked).toEqual([...before, "summary", "step", "summary", "step", "step", "step"]);
    const [first = 0, second = 0] = kept;
    expect(second).toBeGreaterThan(0);
    expect(second).toBeLessThanOrEqual(first / 2);
  },
);

test.for([[0], [1], [2]])(
  "a run pauses whose request has more even after the second summary (its process dies after summary %s)",
  async ([diesAfter]) => {
    const { end, asked } = await live({
      counts: [enough + 1, enough + 1],
      diesAfter,
    });
    expect(end).toMatchObject({ state: "paused", why: "context" });
    expect((end as { text?: string }).text).toMatch(
      /a request may have 14,400 of 24,000 tokens, and its provider counted 14,401\./,
    );
    expect(asked).toEqual([...before, "summary", "step", "summary", "step"]);
  },
);
