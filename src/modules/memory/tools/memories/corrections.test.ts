import { expect, test } from "vitest";
import { openMemoryWorld } from "../../../../../test/support/memory-world.ts";
import { memoriesTools } from "./index.ts";

async function openWorld() {
  const world = await openMemoryWorld((memory, { graph }) => memoriesTools({ memory, graph }));
  const run = async (tool: string, params: object) => {
    const done = await world.call(tool, params);
    if (!done.success) throw new Error(`${done.code}: ${done.error}`);
    return done.result as { readonly id: string };
  };
  return { world, run, getEntry: (id: string) => world.memory.get("local", id) };
}

test("a correction goes by the names, tags and category of what it corrects, but for what it says itself", async () => {
  const { world, run, getEntry } = await openWorld();
  await using _ = world;
  const facts = { category: "reminder", tags: ["health"], names: ["Katharina"] };
  const { id: supersedes } = await run("memory_store", {
    content: "She sees the dentist on 3 May 2027",
    ...facts,
  });
  const { id } = await run("memory_store", { content: "She sees the dentist on 4 May 2027", supersedes });
  expect(await run("memory_recall", { query: "Kathariina" })).toMatchObject({
    memories: [{ id, score: 1, match: "name", ...facts }],
  });
  expect(await run("memory_graph", { action: "search", query: "Katharina" })).toMatchObject({
    nodes: [{ name: "Katharina", mentions: 2 }],
  });
  const last = await run("memory_store", { content: "It is off", supersedes: id, tags: [] });
  expect(await getEntry(last.id)).toMatchObject({ ...facts, tags: [] });
});

test("a correction takes nothing from what came from outside", async () => {
  const { world, run, getEntry } = await openWorld();
  await using _ = world;
  const told = {
    kind: "memory",
    text: "Rome it is",
    names: ["Eve"],
    tags: ["evil"],
    trust: "untrusted",
  } as const;
  const [old] = await world.put({}, told);
  const own = await run("memory_store", { content: "Ada lives in Oslo", supersedes: old?.id });
  expect(own).toMatchObject({ superseded: old?.id });
  expect(await getEntry(own.id)).toMatchObject({ trust: "trusted", names: [], tags: [] });
});
