import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type AgentEvent, driveRun, Interrupts } from "../../src/agent/index.ts";
import { callHistory } from "../../src/app/agent/call-history.ts";
import { openStore, type Store } from "../../src/app/store/index.ts";
import { defineTool, ToolExecutor, ToolRegistry } from "../../src/kernel/index.ts";
import { type ChatModel, chainModels, type ModelProvider } from "../../src/model/index.ts";
import type { Entry } from "../../src/modules/sessions/index.ts";
import { openChatModel } from "../../src/providers/index.ts";
import { openTestConnector } from "../support/connect.ts";
import { createHastyClock } from "../support/hasty-clock.ts";
import { refuseWith, serveModel } from "../support/model-server.ts";

/** A whole proof has 200. */
const tasks = Number(process.env["HAFT_TASKS"] ?? 6);
const steps = 10;
const scope = "local";

const folder = mkdtempSync(join(tmpdir(), "haft-chaos-"));
let store: Store;
beforeAll(async () => {
  store = await openStore({ path: join(folder, "haft.db") });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** The text and the call of answers that are cut before their end. */
const neverSaid = "This is never heard to its end by anybody.";
const neverDone = 666;

/** A model of ten steps: every third makes two calls at once, and the last makes none. */
function addSteps(mock: LLMock): void {
  for (let step = 0; step <= steps; step++) {
    const calls = [step * 10, ...(step % 3 === 2 ? [step * 10 + 1] : [])].map((n) => ({
      name: "put",
      arguments: JSON.stringify({ n }),
    }));
    mock.addFixture({
      match: {
        predicate: ({ messages }) => messages.filter(({ role }) => role === "assistant").length === step,
      },
      response:
        step === steps ? { content: "All ten are done." } : { content: `Step ${step}.`, toolCalls: calls },
    });
  }
}

interface Played {
  readonly state: string | undefined;
  readonly entries: readonly string[];
  readonly done: readonly number[];
  readonly withdrawn: number;
}

async function play(model: ChatModel): Promise<Played> {
  const done: number[] = [];
  const registry = new ToolRegistry();
  registry.register(
    defineTool({
      name: "put",
      description: "Do what must not be done twice.",
      parameters: z.strictObject({ n: z.int() }),
      execute: ({ n }) => {
        done.push(n);
        return `put ${n}`;
      },
    }),
  );
  const { id: sessionId } = await store.sessions.open({ scope, agentId: "main", channel: "test" });
  await store.sessions.post({ scope, sessionId, sender: "user", parts: [{ type: "text", text: "Do ten." }] });
  const { id: runId } = await store.runs.begin({ scope, kind: "turn", sessionId });
  let withdrawn = 0;
  const end = await driveRun({
    store,
    scope,
    runId,
    model,
    executor: new ToolExecutor(registry, {
      rules: [{ tool: "*", decision: "allow" }],
      ledger: store.ledger,
    }),
    history: callHistory(store.ledger, registry, store.approvals),
    makePrefix: async () => ({
      model: model.id,
      system: [{ text: "Be brief." }],
      tools: [{ name: "put", description: "put", parameters: { type: "object" } }],
    }),
    context: () => ({ scope, taskId: runId }),
    interrupts: new Interrupts(),
    maxSteps: 100,
    maxTokens: 500,
    emit: ({ type }: AgentEvent) => {
      if (type === "answer.withdrawn") withdrawn++;
    },
  });
  const entries = await store.sessions.entries(scope, sessionId);
  return { state: end?.state, entries: entries.map((entry) => describe(entry, runId)), done, withdrawn };
}

/** An entry without what differs from run to run: ids, times, and which model of the chain answered. */
function describe(entry: Entry, runId: string): string {
  switch (entry.kind) {
    case "user":
      return `user ${JSON.stringify(entry.parts)}`;
    case "answer": {
      const parts = entry.message.parts.map((part) =>
        part.type === "call" ? `${part.name} ${part.input}` : part.text,
      );
      return `answer ${entry.step} ${entry.stop} ${parts.join(" | ")}`;
    }
    case "result":
      return `result ${entry.callId.replace(runId, "run")} ${entry.text}`;
    case "note":
    case "summary":
    case "prune":
    case "parked":
    case "interrupt":
      return entry.kind;
    default:
      return entry satisfies never;
  }
}

test.for(["openai-compatible", "anthropic"] as const)(
  "runs on models of %s end with the same entries through chaos, and call nothing twice",
  { timeout: 1_800_000 },
  async (provider) => {
    const mock = new LLMock({ port: 0, chunkSize: 5 });
    let cuts = false;
    // A third of the answers is cut, in its text or in a call.
    const cut = (share: number) => ({ predicate: () => cuts && Math.random() < share });
    mock.addFixture({
      match: cut(0.17),
      response: { content: neverSaid },
      truncateAfterChunks: 6,
      latency: 1,
    });
    const calls = [{ name: "put", arguments: JSON.stringify({ n: neverDone, why: neverSaid }) }];
    mock.addFixture({ match: cut(0.2), response: { toolCalls: calls }, truncateAfterChunks: 8, latency: 1 });
    addSteps(mock);
    await mock.start();
    onTestFinished(() => mock.stop());
    const model = openChain(provider, `${mock.url}/v1`);
    const calm = await play(model);
    expect(calm).toMatchObject({ state: "completed", withdrawn: 0 });
    expect(calm.entries).toHaveLength(1 + steps + 1 + calm.done.length);
    expect(calm.done).toHaveLength(13);
    const rates = { dropRate: 0.3, malformedRate: 0.3, disconnectRate: 0.3, rateLimitRate: 0.3 };
    mock.setChaos({ ...rates, latencyMs: 1 });
    cuts = true;
    let withdrawn = 0;
    for (let task = 0; task < tasks; task++) {
      const played = await play(model);
      withdrawn += played.withdrawn;
      expect({ ...played, withdrawn: 0 }).toEqual(calm);
    }
    expect(withdrawn).toBeGreaterThan(0);
  },
);

/** A chain so long that no chaos exhausts it: each model is asked three times at most. */
function openChain(provider: ModelProvider, baseUrl: string): ChatModel {
  const connector = openTestConnector();
  const models = Array.from({ length: 40 }, (_, at) =>
    openChatModel(provider, {
      connector,
      baseUrl,
      apiKey: async () => "key",
      setting: "models.main",
      model: `model-${at}`,
      facts: { quota: `quota-${at}` },
    }),
  );
  return chainModels(models, { clock: createHastyClock() });
}

test("a request that the provider does not take fails the run with its words, and is not made again", async () => {
  const words = "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after";
  const error = { type: "error", error: { type: "invalid_request_error", message: words } };
  const { open, asked } = await serveModel(refuseWith(400, error));
  const chain = chainModels([open("anthropic"), open("anthropic", { model: "other" })], {
    clock: createHastyClock(),
  });
  const { state, entries } = await play(chain);
  expect(state).toBe("failed");
  expect(asked).toHaveLength(1);
  expect(entries).toEqual(['user [{"type":"text","text":"Do ten."}]']);
  const [run] = await store.runs.list({ scope, limit: 1 });
  expect(run).toMatchObject({
    state: "failed",
    why: "MODEL_BAD_REQUEST",
    result: expect.stringContaining(words),
  });
});
