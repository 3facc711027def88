import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openStore } from "../../../../app/store/open-store.ts";

interface Line {
  readonly id: string;
  readonly text?: string;
  readonly tags?: readonly string[];
  readonly time?: string;
  readonly query?: string;
  readonly relevant?: readonly string[];
}

// Figures of a ranking, not of a machine: what falls below was made worse.
test.for([
  { set: "limit-small", limit: 5, least: 1 },
  { set: "madial-zh", limit: 5, least: 0.44 },
  { set: "madial-en", limit: 10, least: 0.5 },
])(
  "a search finds at least $least of what $set asks for among the first $limit, by words alone",
  async ({ set, limit, least }) => {
    const file = new URL(`../../../../../test/fixtures/memory/${set}.jsonl`, import.meta.url);
    const lines = readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
    const memories = lines.filter(({ text }) => text !== undefined);
    await using store = await openStore({ path: ":memory:" });
    const entries = await store.memory.edit(
      "all",
      memories.map(({ text = "", tags = [], time = "2026-01-01" }) => ({
        do: "create_block",
        entry: { kind: "memory", text, tags, at: Date.parse(time) },
      })),
      { by: "import:test" },
    );
    const ids = new Map(entries.map(({ id }, at) => [id, memories[at]?.id]));
    let recall = 0;
    const queries = lines.filter(({ query }) => query !== undefined);
    for (const { query = "", relevant = [] } of queries) {
      const { hits } = await store.memory.search("all", { query, limit });
      const found = new Set(hits.map(({ entry }) => ids.get(entry.id)));
      recall += relevant.filter((id) => found.has(id)).length / relevant.length / queries.length;
    }
    expect(recall + 1e-9).toBeGreaterThanOrEqual(least);
  },
);

const turn = (text: string, role?: string) => ({
  do: "create_block" as const,
  entry: {
    kind: "message",
    text,
    place: { session: text.slice(0, 12), ...(role !== undefined && { role }) },
  },
});

test("a long reply that goes through everything comes after the turn that says what was asked for", async () => {
  await using store = await openStore({ path: ":memory:" });
  const topics = "boat harbour garden kitchen budget holiday doctor school engine music piano letter".split(
    " ",
  );
  const advice = topics.map(
    (topic) =>
      `Write down what the ${topic} needs, whom to ask, and which tools help you; then decide what comes later, what to leave, and tell your family.`,
  );
  const reply = [
    "A sprint needs a deadline.",
    ...advice,
    "Plan each sprint; a deadline keeps a sprint short.",
  ].join(" ");
  const said = "My first sprint has its deadline on Friday";
  await store.memory.edit("ada", [turn(reply), turn(said)], { by: "test" });
  const { hits } = await store.memory.search("ada", { query: "what is the deadline of my sprint?" });
  expect(hits.map(({ entry }) => entry.text)).toEqual([said, reply]);
});

test("what the user said counts more than what was answered, as much as is asked for", async () => {
  await using store = await openStore({ path: ":memory:" });
  const [answered, said] = ["The budget for boats grows, this budget", "Boats in my budget"];
  await store.memory.edit("ada", [turn(answered, "assistant"), turn(said, "user")], { by: "test" });
  const found = async (userTurns?: number) => {
    const { hits } = await store.memory.search("ada", {
      query: "budget",
      ...(userTurns !== undefined && { userTurns }),
    });
    return hits.map(({ entry }) => entry.text);
  };
  expect(await found()).toEqual([said, answered]);
  expect(await found(1)).toEqual([answered, said]);
  await expect(found(0)).rejects.toMatchObject({ code: "MEMORY_INVALID" });
});
