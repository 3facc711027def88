import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { recordStatements } from "../../../../../test/support/sql-statements.ts";
import { createTestExecutor } from "../../../../../test/support/test-executor.ts";
import { WordEmbedder } from "../../../../../test/support/vector-world.ts";
import { openStore } from "../../../../app/store/index.ts";
import { createFakeClock } from "../../../../testing/index.ts";
import { memoriesTools } from "./index.ts";

const take = recordStatements();
const words = "tea cello harbour tax garden violin bread train winter lamp paper river".split(" ");

function writeText(at: number): string {
  const some = Array.from({ length: 6 }, (_, place) => words[(at * (place + 1) + place) % words.length]);
  return `Memory ${at} says ${some.join(" ")}`;
}

/** A store of 300 memories that are embedded, and searched before. */
async function open() {
  const clock = createFakeClock(1_000_000);
  const texts = new WordEmbedder();
  const asked: string[] = [];
  const embedder = {
    id: texts.id,
    embed: (some: readonly string[]) => texts.embed(some),
    embedWords: (some: readonly string[]) => {
      asked.push(...some);
      return texts.embed(some).then((vectors) => vectors.map((vector) => vector.fill(0)));
    },
  };
  const store = await openStore({ path: ":memory:", clock, embedder: async () => embedder });
  onTestFinished(() => store.close());
  const entries = Array.from({ length: 300 }, (_, at) => ({ kind: "memory", text: writeText(at) }));
  await store.memory.edit(
    "local",
    entries.map((entry) => ({ do: "create_block", entry })),
    { by: "owner:test" },
  );
  await store.memory.ready();
  const { executor } = createTestExecutor(memoriesTools({ memory: store.memory, clock }), { clock });
  const call = async (name: string, params: object) => {
    take();
    texts.texts.length = 0;
    asked.length = 0;
    const { success } = await executor.execute(name, params);
    expect(success).toBe(true);
    // The work in the background waits for nothing but the database, which answers at once.
    await setImmediate();
    const ran = take();
    return {
      statements: ran.length,
      commits: ran.filter(({ sql }) => sql === "commit").length,
      rows: ran.reduce((sum, { rows }) => sum + rows, 0),
      embedded: texts.texts.filter((text) => !asked.includes(text)).length,
      words: asked.length,
    };
  };
  await call("memory_recall", { query: "Who plays the cello?" });
  return call;
}

test("a search reads what was not read before in five statements, and the same search again in none", async () => {
  const call = await open();
  // The mark of the database, how many entries have each word, which those are, their texts, and what is shown.
  const first = await call("memory_recall", { query: "Which bread and which tea?" });
  expect(first).toEqual({ statements: 5, commits: 0, rows: 139, embedded: 1, words: 2 });
  const again = await call("memory_recall", { query: "Which bread and which tea?" });
  expect(again).toEqual({ statements: 1, commits: 0, rows: 1, embedded: 0, words: 2 });
});

test("a memory is stored and embedded in two transactions, and the search after it reads anew", async () => {
  const call = await open();
  const stored = await call("memory_store", { content: "Ada grows tomatoes in her garden" });
  // One of them is the row of the event that tells the console.
  expect(stored).toEqual({ statements: 26, commits: 2, rows: 11, embedded: 1, words: 0 });
  const found = await call("memory_recall", { query: "Which bread and which tea?" });
  expect(found).toEqual({ statements: 16, commits: 0, rows: 747, embedded: 1, words: 2 });
});
