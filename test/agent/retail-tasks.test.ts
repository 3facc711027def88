import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { driveRun, Interrupts } from "../../src/agent/index.ts";
import { callHistory } from "../../src/app/agent/call-history.ts";
import { openStore, type Store } from "../../src/app/store/index.ts";
import { canonicalJson } from "../../src/base/index.ts";
import { type Tool, type ToolContext, ToolExecutor, ToolRegistry } from "../../src/kernel/index.ts";
import type { ResultEntry } from "../../src/modules/sessions/index.ts";
import { createScriptedChat } from "../../src/testing/index.ts";
import type { RetailData, RetailOutcome, RetailTask } from "../fixtures/tau2/retail-data.ts";
import { retailTools } from "../fixtures/tau2/retail-tools.ts";

/** The whole database if `HAFT_CORPORA` names its folder, else the part that the tasks touch. */
const corpora = process.env["HAFT_CORPORA"];
const own = join(import.meta.dirname, "../corpora/tau2/retail");
const corpus = corpora === undefined ? own : join(corpora, "tau2/retail");
const readData = <Data>(path: string): Data => JSON.parse(readFileSync(path, "utf8")) as Data;
const dataText = readFileSync(join(corpus, "db.json"), "utf8");
const tasks = readData<readonly RetailTask[]>(join(corpus, "tasks.json"));
const outcomes = readData<Readonly<Record<string, RetailOutcome>>>(
  join(own, corpora === undefined ? "expected.json" : "expected-whole.json"),
);

const scope = "local";
const folder = mkdtempSync(join(tmpdir(), "haft-retail-"));
let store: Store;
beforeAll(async () => {
  store = await openStore({ path: join(folder, "haft.db") });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A digest of a whole database; each number as the eight bytes that it is. */
function digest(data: RetailData): string {
  const bytes = Buffer.alloc(8);
  const text = JSON.stringify(data, (_, value: unknown) => {
    if (typeof value !== "number") return value;
    bytes.writeDoubleBE(value + 0);
    return bytes.toString("hex");
  });
  return createHash("sha256")
    .update(canonicalJson(JSON.parse(text)))
    .digest("hex");
}

type Action = RetailTask["evaluation_criteria"]["actions"][number];

/** Has each call of the tools take less time than the one before, so that only their locks keep them in order. */
function takeTurns(): (tool: Tool) => Tool {
  let called = 0;
  return (tool) => ({
    ...tool,
    execute: async (params: never, context: ToolContext) => {
      const turns = 20 - (called++ % 20);
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      return tool.execute(params, context);
    },
  });
}

/** Drives a stored run whose model makes these calls, answer by answer, through the gate and its ledger. */
async function play(
  answers: readonly (readonly Action[])[],
): Promise<{ readonly data: RetailData; readonly results: readonly ResultEntry[] }> {
  const data = JSON.parse(dataText) as RetailData;
  const registry = new ToolRegistry();
  registry.registerMany(retailTools(data).map(takeTurns()));
  const executor = new ToolExecutor(registry, {
    rules: [{ tool: "*", decision: "allow" }],
    ledger: store.ledger,
  });
  const model = createScriptedChat([
    ...answers.map((calls) => ({
      calls: calls.map(({ name, arguments: input }) => ({ name, input })),
    })),
    "Done.",
  ]);
  const { id: sessionId } = await store.sessions.open({ scope, agentId: "main", channel: "test" });
  await store.sessions.post({
    scope,
    sessionId,
    sender: "user",
    parts: [{ type: "text", text: "Help me." }],
  });
  const { id: runId } = await store.runs.begin({ scope, kind: "turn", sessionId });
  const end = await driveRun({
    store,
    scope,
    runId,
    model,
    executor,
    history: callHistory(store.ledger, registry, store.approvals),
    makePrefix: async () => ({ model: model.id, system: [], tools: [] }),
    context: () => ({ scope, taskId: runId }),
    interrupts: new Interrupts(),
    emit: () => undefined,
    maxSteps: 100,
  });
  expect(end).toEqual({ state: "completed", stop: "end", text: "Done." });
  const entries = await store.sessions.entries(scope, sessionId);
  return { data, results: entries.filter((entry) => entry.kind === "result") };
}

async function check(
  { id, evaluation_criteria: { actions } }: RetailTask,
  answers: readonly (readonly Action[])[],
) {
  const { data, results } = await play(answers);
  const { fails, digest: expected } = outcomes[id] as RetailOutcome;
  expect(results.map(({ name }) => name)).toEqual(actions.map(({ name }) => name));
  expect(results.flatMap(({ failed }, at) => (failed ? [at] : []))).toEqual(fails.map(([at]) => at));
  for (const [at, says] of fails) expect(results[at]?.text).toContain(says);
  expect(digest(data)).toBe(expected);
}

test("the tasks of τ²-bench's retail domain are all here, and change its database", () => {
  expect(tasks).toHaveLength(114);
  const before = digest(JSON.parse(dataText) as RetailData);
  const changing = tasks.filter(({ id }) => outcomes[id]?.digest !== before);
  expect(changing.length).toBeGreaterThan(100);
});

test.for(tasks.map((task) => [task.id, task] as const))(
  "task %s leaves the database that its actions make when they are applied one by one",
  async ([, task]) => {
    const { actions } = task.evaluation_criteria;
    await check(
      task,
      actions.map((action) => [action]),
    );
  },
);

test.for(
  tasks
    .filter(({ evaluation_criteria: { actions } }) => actions.length > 1)
    .map((task) => [task.id, task] as const),
)("task %s leaves the same database where one answer makes all of its calls", async ([, task]) =>
  check(task, [task.evaluation_criteria.actions]),
);
