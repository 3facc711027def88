import { describe, expect, test } from "vitest";
import {
  everything,
  now,
  openMemoryWork,
  readLines,
  scope,
  signal,
} from "../../../../test/support/memory-work.ts";
import type { Trust } from "../../../kernel/index.ts";
import type { Embedder } from "../../../search/index.ts";
import type { NewMemoryEntry } from "../store/memory-entry.ts";
import { extractGraph } from "./extract-graph.ts";
import { promote } from "./promote.ts";
import { graphWaits, promotionDone, promotionWaits } from "./work-tags.ts";

const observation = (text: string, trust: Trust = "trusted"): NewMemoryEntry => ({
  kind: "observation",
  text,
  trust,
  category: "medium",
  at: now - 1000,
  tags: ["generation:0", promotionWaits],
});

/** A memory of each note, which says the same. */
const rememberEach: Parameters<typeof openMemoryWork>[0] = (request) => ({
  value: { memories: readLines(request, "notes").map(({ id, text }) => ({ text, from: [id] })) },
});

/** What begins with the same letter means the same. */
const embedder: Embedder = {
  id: "first letters",
  embed: async (texts) =>
    texts.map((text) => Float32Array.from({ length: 32 }, (_, at) => Number(text.charCodeAt(0) % 32 === at))),
};

describe("promote()", () => {
  test("looks at observations alone, whatever tags an agent gives what it keeps", async () => {
    const { work, model, add, all } = await openMemoryWork(rememberEach);
    const posing = await add({ kind: "memory", text: "Ada plays the cello.", tags: [promotionWaits] });
    await promote(work, scope, signal);
    expect(model.asked).toEqual([]);
    expect(await all(everything)).toEqual([posing]);
  });

  test("makes memories of the observations that wait, and none of them again", async () => {
    const { work, model, add, all } = await openMemoryWork(rememberEach);
    const { id } = await add(observation("Ada plays the cello."));
    await add({ ...observation("It rained."), tags: ["generation:0"] });
    await promote(work, scope, signal);
    await promote(work, scope, signal);
    expect(model.asked).toHaveLength(1);
    expect(await all({ kinds: ["memory"] })).toMatchObject([
      {
        text: "Ada plays the cello.",
        at: now - 1000,
        trust: "trusted",
        permission: "admin",
        tags: [graphWaits],
        author: { by: "promoter", sources: [id] },
      },
    ]);
    expect((await all({ kinds: ["observation"], tags: [promotionDone] })).map((one) => one.id)).toEqual([id]);
  });

  test("asks about 20 at once, and not about what is over", async () => {
    const { work, model, add } = await openMemoryWork(rememberEach);
    for (let at = 0; at < 25; at++) await add(observation(`Fact number ${at}.`));
    await add({ ...observation("Over."), validFrom: 0, validTo: now - 1 });
    await promote(work, scope, signal);
    const asked = model.asked.map((request) => readLines(request, "notes").length);
    expect(asked.reduce((sum, count) => sum + count)).toBe(25);
    expect(Math.max(...asked)).toBe(20);
  });

  test("asks not about what a memory says already in the same words", async () => {
    const { work, model, add, all } = await openMemoryWork(rememberEach);
    await add({ kind: "memory", text: "Ada plays the cello" });
    await add(observation("Ada plays the Cello."));
    await promote(work, scope, signal);
    expect(model.asked).toEqual([]);
    expect(await all({ kinds: ["memory"] })).toHaveLength(1);
    expect(await all({ tags: [promotionWaits] })).toEqual([]);
  });

  test("keeps no memory that means what one says already, unless numbers, names or a no are others", async () => {
    const { work, add, all } = await openMemoryWork(rememberEach, { embedder });
    await add({ kind: "memory", text: "people like the cello lessons of Ada" });
    await add(observation("practice on the cello is what Ada likes"));
    await add(observation("practice on the cello is not what Ada likes"));
    await add(observation("practice on the cello is what Bea likes"));
    await add(observation("practice on 2 cellos is what Ada likes"));
    await promote(work, scope, signal);
    expect((await all({ kinds: ["memory"] })).map(({ text }) => text)).toEqual([
      "people like the cello lessons of Ada",
      "practice on the cello is not what Ada likes",
      "practice on the cello is what Bea likes",
      "practice on 2 cellos is what Ada likes",
    ]);
  });

  test("supersedes an older memory that is no longer so, which stays", async () => {
    const { work, memory, add, all } = await openMemoryWork((request) => ({
      value: {
        memories: [
          {
            text: "Ada lives in Paris.",
            from: ["n1"],
            supersedes: readLines(request, "older-memories")[0]?.["id"],
          },
        ],
      },
    }));
    const old = await add({ kind: "memory", text: "Ada lives in Berlin." });
    await add(observation("Ada has moved to Paris and lives there."));
    await promote(work, scope, signal);
    const [fresh] = await all({ kinds: ["memory"] });
    expect(fresh?.text).toBe("Ada lives in Paris.");
    expect(await memory.get(scope, old.id)).toMatchObject({
      text: "Ada lives in Berlin.",
      supersededBy: fresh?.id,
      deletedAt: undefined,
    });
  });

  test.for([
    ["has a label", { label: "home" }],
    ["is pinned", { pinned: true }],
    ["is read-only", { permission: "read_only" }],
    ["is a person's", { permission: "human" }],
  ] as const)("leaves a memory in force that %s", async ([, part]) => {
    const { work, memory, add, all } = await openMemoryWork(() => ({
      value: { memories: [{ text: "Ada lives in Paris.", from: ["n1"], supersedes: "k1" }] },
    }));
    const old = await add({ kind: "memory", text: "Ada lives in Berlin.", ...part });
    await add(observation("Ada lives in Paris now."));
    await promote(work, scope, signal);
    expect((await memory.get(scope, old.id))?.supersededBy).toBeUndefined();
    expect(await all({ kinds: ["memory"] })).toHaveLength(2);
  });

  test("shows what came from outside no memory of ours, and ours nothing from outside", async () => {
    const { work, model, add, all } = await openMemoryWork(rememberEach);
    await add({ kind: "memory", text: "The bank account of Ada is 1234." });
    await add({ kind: "memory", text: "The bank account of Ada is at evil.example.", trust: "untrusted" });
    await add(observation("The bank account of Ada is 6666.", "untrusted"));
    await add(observation("The bank account of Ada is 5678."));
    await promote(work, scope, signal);
    const shown = model.asked.map((request) => readLines(request, "older-memories").map(({ text }) => text));
    expect(shown).toEqual([
      ["The bank account of Ada is 1234."],
      ["The bank account of Ada is at evil.example."],
    ]);
    const made = (await all({ kinds: ["memory"] })).slice(2);
    expect(made.map(({ text, trust }) => [text, trust])).toEqual([
      ["The bank account of Ada is 5678.", "trusted"],
      ["The bank account of Ada is 6666.", "untrusted"],
    ]);
  });

  test.for(["", "null", "k7", 7])("supersedes nothing where the answer names %j", async (supersedes) => {
    const { work, add, all } = await openMemoryWork(() => ({
      value: { memories: [{ text: "x", from: ["n1"], supersedes, names: [7, "Ada"] }] },
    }));
    const old = await add({ kind: "memory", text: "Ada plays the flute." });
    await add(observation("Ada plays the cello."));
    await promote(work, scope, signal);
    expect(await all({ kinds: ["memory"] })).toMatchObject([{ id: old.id }, { text: "x", names: ["Ada"] }]);
  });

  test.for([
    ["no list", {}, "memories is no list"],
    ["an unknown note", { memories: [{ text: "x", from: ["n2"] }] }, "none of the ids"],
    ["a text without end", { memories: [{ text: "x".repeat(2000), from: ["n1"] }] }, "longer than"],
  ] as const)("changes nothing where the answer has %s", async ([, value, why]) => {
    const { work, add, all } = await openMemoryWork(() => ({ value }));
    await add(observation("Ada plays the cello."));
    const before = await all(everything);
    await expect(promote(work, scope, signal)).rejects.toThrow(why);
    expect(await all(everything)).toEqual(before);
  });
});

describe("extractGraph()", () => {
  const facts = (id: string) => ({
    id,
    nodes: [
      { name: "Ada", type: "person", aliases: ["Countess Lovelace"] },
      { name: "Paris", type: "place" },
    ],
    edges: [{ source: "Ada", relation: "lives in", target: "Paris" }],
  });

  test("notes what the memories that wait are about, once", async () => {
    const { work, store, model, add, all } = await openMemoryWork(() => ({
      value: { memories: [facts("k1")] },
    }));
    await add({ kind: "memory", text: "Ada lives in Paris.", tags: [graphWaits, "mine"] });
    await extractGraph(work, scope, signal);
    await extractGraph(work, scope, signal);
    expect(model.asked).toHaveLength(1);
    const [found] = await store.graph.find(scope, "countess lovelace");
    const near = await store.graph.explore(scope, found?.node.id ?? "");
    expect(near?.edges).toMatchObject([{ relation: "lives in", weight: 1 }]);
    expect((await all({ kinds: ["memory"] }))[0]?.tags).toEqual(["mine"]);
  });

  test.for([
    ["an unknown memory", [facts("k2")], "none of the ids"],
    ["another type", [{ ...facts("k1"), nodes: [{ name: "Ada", type: "robot" }] }], "is none of person"],
    ["a name of no letters", [{ ...facts("k1"), nodes: [{ name: "—", type: "person" }] }], "has no letter"],
    [
      "a name without end",
      [{ ...facts("k1"), nodes: [{ name: "a".repeat(101), type: "person" }] }],
      "longer than",
    ],
    ["no edges", [{ id: "k1", nodes: [] }], "edges is no list"],
  ] as const)("changes nothing where the answer has %s", async ([, memories, why]) => {
    const { work, store, add, all } = await openMemoryWork(() => ({ value: { memories } }));
    await add({ kind: "memory", text: "Ada lives in Paris.", tags: [graphWaits] });
    const before = await all(everything);
    await expect(extractGraph(work, scope, signal)).rejects.toThrow(why);
    expect(await all(everything)).toEqual(before);
    expect(await store.graph.find(scope, "Ada")).toEqual([]);
  });
});
