import { expect, test } from "vitest";
import { getOutcome, openMemoryWorld } from "../../../../../test/support/memory-world.ts";
import { memoriesTools } from "./index.ts";

const agent = { agentId: "pal" };

async function openMemories() {
  const world = await openMemoryWorld((_memory, store) => memoriesTools(store));
  for (const content of [
    "The user's sister lives in Rotterdam",
    "The user's flight to Lisbon leaves at nine",
    "The user wants short answers",
  ])
    getOutcome(await world.call("memory_store", { content }, agent));
  const ask = async (tool: string, params: object) =>
    getOutcome(await world.call(tool, params, agent)) as Record<string, unknown>;
  return { world, ask };
}

const unrelated = "Which printer toner does the user need?";

test("memory_recall shows nothing that only shares a common word, says so, and shows it where it is asked to", async () => {
  const { world, ask } = await openMemories();
  await using _ = world;
  expect(await ask("memory_recall", { query: "the user's sister" })).toMatchObject({
    memories: [{ content: "The user's sister lives in Rotterdam" }],
    left_out: 2,
  });
  expect(await ask("memory_recall", { query: unrelated })).toMatchObject({
    memories: [],
    total: 0,
    left_out: 3,
    note: expect.stringMatching(/^None of 3 entries is likely about this.* all: true shows them$/),
  });
  expect(await ask("memory_recall", { query: unrelated, all: true })).toMatchObject({ shown: 3 });
});

test("memory_forget offers none of it for deletion, unless it is asked to", async () => {
  const { world, ask } = await openMemories();
  await using _ = world;
  expect(await ask("memory_forget", { query: "flight to Lisbon" })).toMatchObject({
    candidates: [{ content: "The user's flight to Lisbon leaves at nine" }],
  });
  expect(await ask("memory_forget", { query: unrelated })).toMatchObject({
    candidates: [],
    note: expect.stringContaining("all: true shows them"),
  });
  const { candidates } = await ask("memory_forget", { query: unrelated, all: true });
  expect(candidates).toHaveLength(3);
  expect(await world.call("memory_forget", { id: "m_x", all: true }, agent)).toMatchObject({
    code: "TOOL_VALIDATION",
  });
});

test("memory_recall gives with exact only what the query names, also far into a long question", async () => {
  const { world, ask } = await openMemories();
  await using _ = world;
  for (const [content, names] of [
    ["A database for documents", ["Mongo"]],
    ["The database that the billing runs on", ["PostgreSQL"]],
    ["The user eats a mango every day", []],
  ] as const)
    await ask("memory_store", { content, names });
  const exact = async (query: string) =>
    ((await ask("memory_recall", { query, exact: true }))["memories"] as { content: string }[]).map(
      ({ content }) => content,
    );
  const long = "I have thought a lot about what we said the other day about the plans for the year ".repeat(
    4,
  );
  expect(await exact(`${long} and whether postgersql is the right one for it`)).toEqual([
    "The database that the billing runs on",
  ]);
  expect(await exact("Is a mango healthy?")).toEqual([]);
  expect(await exact("Is mongo healthy?")).toEqual(["A database for documents"]);
  expect(await ask("memory_recall", { query: "the database", exact: true })).toMatchObject({
    memories: [],
    searched_by: "names",
  });
});
