import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { Installation, type OpenInstallation } from "../../test/support/installation.ts";
import { listenOnLoopback } from "../../test/support/loopback.ts";
import type { ToolResult } from "../kernel/index.ts";

const withoutEmbedder = "tools: { search: { embedder: none } }";

describe("what is to be done in the background", () => {
  test("is done by a program that stays as soon as there is something, and by no other", async () => {
    const model = await openModel();
    const place = new Installation();
    const passing = await place.open(`${withoutEmbedder}\n${model.config}`);
    await remember(passing, "Ada lives in Rome");
    await passing.app.close();
    expect(model.asked).toEqual([]);

    const staying = await place.open();
    staying.app.background.start([staying.app.context], 0);
    await model.isAsked(1);
    expect(model.asked[0]).toContain("Ada lives in Rome");
    // Nothing but the call itself can tell of this one: the runner looks by itself twice a minute.
    await remember(staying, "Bob lives in Oslo");
    await model.isAsked(2);
    expect(model.asked[1]).toContain("Bob lives in Oslo");
  });

  test("is to make the vectors that a program without a model left behind", async () => {
    const asked = Promise.withResolvers<string>();
    const { url } = await listenOnLoopback(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      asked.resolve(body);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data: [{ index: 0, embedding: [1, 2] }] }));
    });
    const place = new Installation();
    const passing = await place.open(withoutEmbedder);
    await remember(passing, "Ada lives in Rome");
    await passing.app.close();
    const embedder = `{ provider: openai-compatible, url: "${url}/v1", model: tiny }`;
    const staying = await place.open(`tools: { search: { embedder: ${embedder} } }`);
    staying.app.background.start([staying.app.context], 0);
    expect(await asked.promise).toContain("Ada lives in Rome");
  });

  test("is a look at a conversation once it is long enough", async () => {
    const model = await openModel();
    const { app } = await new Installation().open(`${withoutEmbedder}\n${model.config}`);
    const jobs = async () => (await app.store()).jobs.list({ kinds: ["memory.observe"] });
    const say = (text: string, answer: string) => {
      const turns = [
        { session: "s", role: "user", speaker: "Ada", text },
        { session: "s", role: "assistant", text: answer },
      ];
      return app.memory.record("local", turns, { by: "owner:ada" });
    };
    await say("Where is Rome?", "In Italy");
    expect(await jobs()).toEqual([]);
    await say("Tell me more", "It has hills. ".repeat(1_000));
    expect(await jobs()).toMatchObject([{ scope: "local", key: "s", state: "pending" }]);
    const kept = await (await app.store()).memory.list("local", { session: "s", order: "position" });
    const place = { session: "s", position: 1, role: "user", speaker: "Ada" };
    expect(kept.entries.map(({ text }) => text.slice(0, 13))).toEqual([
      "Where is Rome",
      "In Italy",
      "Tell me more",
      "It has hills.",
    ]);
    expect(kept.entries[0]).toMatchObject({ kind: "message", tier: "log", permission: "read_only", place });
  });
});

test("memory_reindex builds the index of the installation's own store, and memory_stats says what it can", async () => {
  const config = `${withoutEmbedder}\nmemory: { vocabularies: [memories, notes] }`;
  const installation = await new Installation().open(config);
  await remember(installation, "Ada lives in Rome");
  expect(await installation.call("memory_reindex", {})).toMatchObject({ result: { entries: 1 } });
  expect(await installation.call("memory_stats", {})).toMatchObject({
    result: { total: 1, index: { meaning: "not in use" } },
  });
});

async function remember(installation: OpenInstallation, content: string): Promise<ToolResult> {
  const stored = await installation.call("memory_store", { content });
  expect(stored).toMatchObject({ success: true });
  return stored;
}

/** A model that says of every memory that it is about nothing. */
async function openModel() {
  const asked: string[] = [];
  const heard = new EventTarget();
  const { url } = await listenOnLoopback(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    asked.push(body);
    const content = JSON.stringify({ memories: [{ id: "k1", nodes: [], edges: [] }] });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }] }));
    heard.dispatchEvent(new Event("asked"));
  });
  return {
    asked,
    config: `memory: { model: { provider: openai-compatible, url: "${url}/v1", model: tiny } }`,
    async isAsked(times: number): Promise<void> {
      while (asked.length < times) await once(heard, "asked");
    },
  };
}
