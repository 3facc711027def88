import { existsSync, rmSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { Installation } from "../../test/support/installation.ts";
import { serveModel, streamEvents } from "../../test/support/model-server.ts";
import { needs } from "../../test/support/needs.ts";

test(
  "a program that stays finds out what the sandbox of a new home holds, before a command needs it",
  needs("bubblewrap", inject("isolation") === "bubblewrap"),
  async () => {
    const place = new Installation();
    rmSync(place.home.sandboxProof, { force: true });
    const { app } = await place.open("tools: { search: { embedder: none } }");
    expect(existsSync(place.home.sandboxProof)).toBe(false);
    app.background.start([app.context], 0);
    await expect.poll(() => existsSync(place.home.sandboxProof)).toBe(true);
  },
);

/** The events of an answer that says nothing of what it was asked, with its usage. */
function answerNothing(text: string): readonly unknown[] {
  const chunk = (delta: object, finish_reason: string | null) => ({
    id: "x",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const usage = { prompt_tokens: 700, completion_tokens: 30, total_tokens: 730 };
  return [chunk({ content: text }, null), chunk({}, "stop"), { id: "x", choices: [], usage }, "[DONE]"];
}

/** An installation whose memory has a model, with two memories that are to be looked at. */
async function openRemembering(budget: string) {
  const server = await serveModel(streamEvents(answerNothing('{"memories":[]}')));
  const errors: string[] = [];
  const { app } = await new Installation().open(
    `tools: { search: { embedder: none } }
models:
  small: { provider: openai-compatible, url: "${server.url}", model: small, prices: { input: 1, output: 10 } }
agent: { memoryModel: small${budget} }
`,
    { onError: (error) => errors.push(String(error)) },
  );
  for (const content of ["Ada plays the cello", "Bob lives in Paris"])
    await app.executor.run("memory_store", { content }, app.context);
  app.background.start([app.context], 0);
  const { usage, jobs } = await app.store();
  return { app, server, errors, usage, jobs };
}

test("the requests of memory are counted once each, at the prices of the configuration", async () => {
  const { server, usage, jobs } = await openRemembering("");
  const isDone = async () =>
    (await jobs.list({ states: ["pending", "running"], kinds: ["memory.graph"] })).length;
  await expect.poll(isDone).toBe(0);
  const requests = server.asked.length;
  expect(requests).toBeGreaterThan(0);
  expect(await usage.totals({ scope: "local", by: ["purpose", "source", "model", "run"] })).toEqual([
    expect.objectContaining({
      keys: { purpose: "memory", source: "memory", model: "openai-compatible/small", run: null },
      calls: requests,
      inputTokens: 700 * requests,
      outputTokens: 30 * requests,
      costMicros: 1000 * requests,
      unpriced: 0,
      open: 0,
    }),
  ]);
});

test("jobs of memory wait for the next day where the day's budget is spent, and that is said once", async () => {
  const { server, errors, usage, jobs } = await openRemembering(", budget: { day: { usd: 0.000001 } }");
  const waiting = () => jobs.list({ states: ["failed"], kinds: ["memory.graph"] });
  await expect.poll(async () => (await waiting()).length).toBe(2);
  expect(errors).toEqual([expect.stringContaining("agent.budget.day")]);
  expect(server.asked).toEqual([]);
  expect(await usage.totals({ scope: "local" })).toMatchObject([{ calls: 0 }]);
  for (const job of await waiting()) {
    expect(job).toMatchObject({ attempts: 0, lastError: expect.stringContaining("agent.budget.day") });
    expect(job.runAt).toBeGreaterThan(job.createdAt);
  }
});
