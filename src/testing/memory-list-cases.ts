import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { MemoryEdit, MemoryFilter, MemoryStore } from "../modules/memory/index.ts";
import type { ContractCase } from "./contract-case.ts";
import { ada, change, code, found, listTexts, make, nextMillisecond } from "./memory-worlds.ts";

/** Entries that each filter tells apart; `text` names them, with a word that all of them have. */
async function fill(memory: MemoryStore): Promise<void> {
  const turn = { session: "s1", speaker: "Ada", role: "user", channel: "cli" };
  const entries = [
    { text: "red lantern", kind: "block", label: "a/1", tier: "core", tags: ["x", "y"], pinned: true },
    { text: "blue lantern", kind: "block", label: "a/2", tier: "working", tags: ["x"], category: "home" },
    { text: "green lantern", kind: "note", label: "b%", tags: ["xy"], category: "Home", trust: "untrusted" },
    { text: "tin lantern", kind: "message", at: 1_000, place: turn },
    {
      text: "old lantern",
      kind: "message",
      at: 2_000,
      place: { ...turn, speaker: "Bob", role: "assistant" },
    },
    { text: "tall lantern", kind: "message", at: 3_000, place: { session: "s2", channel: "telegram" } },
  ] as const;
  await memory.edit(
    "local",
    entries.map((entry): MemoryEdit => ({ do: "create_block", entry })),
    ada,
  );
}

const filters: readonly (readonly [MemoryFilter, readonly string[]])[] = [
  [{}, ["red", "blue", "green", "tin", "old", "tall"]],
  [{ kinds: ["block", "note"] }, ["red", "blue", "green"]],
  [{ kinds: [] }, []],
  [{ exceptKinds: ["message"] }, ["red", "blue", "green"]],
  [{ tiers: ["core", "working"] }, ["red", "blue"]],
  [{ tiers: ["archival"], exceptKinds: ["message"] }, ["green"]],
  [{ tags: ["x"] }, ["red", "blue"]],
  [{ tags: ["x", "y"] }, ["red"]],
  [{ tags: ["x\ny"] }, []],
  [{ tags: ["X"] }, []],
  [{ category: "home" }, ["blue"]],
  [{ trust: "untrusted" }, ["green"]],
  [{ trust: "trusted", kinds: ["block", "note"] }, ["red", "blue"]],
  [{ labelPrefix: "a/" }, ["red", "blue"]],
  [{ labelPrefix: "b%" }, ["green"]],
  [{ labelPrefix: "%" }, []],
  [{ session: "s1" }, ["tin", "old"]],
  [{ session: "s1", speaker: "Bob" }, ["old"]],
  [{ role: "user" }, ["tin"]],
  [{ channel: "telegram" }, ["tall"]],
  [{ since: 1_000, until: 3_000 }, ["tin", "old"]],
  [{ pinned: true }, ["red"]],
  [{ pinned: false, kinds: ["block"] }, ["blue"]],
];

const lanterns = (words: readonly string[]) => words.map((word) => `${word} lantern`).sort();

/** How entries are read: by key, in lists and by searching. */
export const memoryListCases: readonly ContractCase<MemoryStore>[] = [
  {
    name: "get() knows nothing that is not there, and takes no key for a pattern",
    async run(memory) {
      await make(memory, { text: "t", label: "label" });
      for (const key of ["", "%", "lab", "LABEL", "_abel", "m_", "' or 1=1 --"])
        strictEqual(await memory.get("local", key), undefined);
      for (const scope of ["", "loca", "local/", "Local", "%"])
        strictEqual(await memory.get(scope, "label"), undefined);
    },
  },
  {
    name: "list() gives what each filter means, and search() the same of what it finds",
    async run(memory) {
      await fill(memory);
      for (const [filter, words] of filters) {
        const expected = lanterns(words);
        const page = await memory.list("local", filter);
        deepStrictEqual(page.entries.map(({ text }) => text).sort(), expected, JSON.stringify(filter));
        deepStrictEqual([page.total, page.next], [expected.length, undefined]);
        deepStrictEqual(await found(memory, "lantern", filter), expected, JSON.stringify(filter));
      }
    },
  },
  {
    name: "list() and search() pass over what is deleted, superseded or not valid, unless it is asked for",
    async run(memory) {
      const entries = ["current", "deleted", "superseded", "former", "future"];
      const [current, deleted, superseded, former, future] = await Promise.all(
        entries.map((text) => make(memory, { text: `${text} lantern` })),
      );
      const now = current?.createdAt ?? 0;
      await memory.edit(
        "local",
        [
          { do: "delete_block", id: deleted?.id ?? "" },
          { do: "set_block_facts", id: superseded?.id ?? "", facts: { supersededBy: current?.id ?? "" } },
          { do: "set_block_facts", id: former?.id ?? "", facts: { validTo: now - 1_000_000 } },
          { do: "set_block_facts", id: future?.id ?? "", facts: { validFrom: now + 1_000_000 } },
        ],
        ada,
      );
      const cases: readonly (readonly [MemoryFilter, readonly string[]])[] = [
        [{}, ["current"]],
        [{ with: ["deleted"] }, ["current", "deleted"]],
        [{ with: ["superseded"] }, ["current", "superseded"]],
        [{ with: ["invalid"] }, ["current", "former", "future"]],
        [{ with: ["deleted", "superseded", "invalid"] }, entries],
        [{ validAt: now + 1_000_000 }, ["current", "future"]],
        [{ validAt: now - 1_000_001 }, ["current", "former"]],
      ];
      for (const [filter, words] of cases) {
        deepStrictEqual(
          [...(await listTexts(memory, filter))].sort(),
          lanterns(words),
          JSON.stringify(filter),
        );
        deepStrictEqual(await found(memory, "lantern", filter), lanterns(words), JSON.stringify(filter));
      }
    },
  },
  {
    name: "list() keeps each order from page to page, with own and shared entries together",
    async run(memory) {
      for (let index = 0; index < 9; index++) {
        const scope = index % 3 === 0 ? "other" : "local";
        const place = { session: index < 5 ? "b" : "a", position: 20 - index };
        const { id } = await make(memory, { text: `${index}`, label: `l${(index * 4) % 9}`, place }, scope);
        if (scope === "other")
          await change(memory, { do: "share_block", id, with: "local", permission: "append" }, scope);
      }
      const orders = {
        oldest: "012345678",
        newest: "876543210",
        label: "075318642"
          .split("")
          .sort((a, b) => ((Number(a) * 4) % 9) - ((Number(b) * 4) % 9))
          .join(""),
        position: "876543210",
      } as const;
      for (const [order, expected] of Object.entries(orders)) {
        for (const limit of [1, 2, 4, 9, 1000]) {
          const texts: string[] = [];
          let after: string | undefined;
          do {
            const page = await memory.list("local", {
              order: order as keyof typeof orders,
              limit,
              ...(after !== undefined && { after }),
            });
            strictEqual(page.total, 9);
            ok(page.entries.length <= limit && page.entries.length > 0);
            texts.push(...page.entries.map(({ text }) => text));
            after = page.next;
          } while (after !== undefined);
          strictEqual(texts.join(""), expected, `${order} by ${limit}`);
        }
      }
    },
  },
  {
    name: "list() gives by label those that have one, and by position those that have a place",
    async run(memory) {
      await make(memory, { text: "label", label: "a" });
      await make(memory, { text: "place", place: { session: "s" } });
      deepStrictEqual(await listTexts(memory, { order: "label" }), ["label"]);
      deepStrictEqual(await listTexts(memory, { order: "position" }), ["place"]);
    },
  },
  {
    name: "list() refuses a page that is none",
    async run(memory) {
      for (const text of ["a", "b"]) await make(memory, { text, label: text });
      const { next = "" } = await memory.list("local", { limit: 1 });
      for (const listing of [
        { limit: 0 },
        { limit: 1001 },
        { limit: 1.5 },
        { after: "" },
        { after: "x" },
        { after: next, order: "label" },
      ] as const)
        await rejects(memory.list("local", listing), code("MEMORY_INVALID"), JSON.stringify(listing));
    },
  },
  {
    name: "list() gives the entry that was changed last first",
    async run(memory) {
      const first = await make(memory, { text: "first" });
      await make(memory, { text: "second" });
      await nextMillisecond();
      await change(memory, { do: "append_to_block", id: first.id, text: "again" });
      deepStrictEqual(await listTexts(memory), ["first\nagain", "second"]);
      deepStrictEqual(await listTexts(memory, { order: "oldest" }), ["second", "first\nagain"]);
    },
  },
  {
    name: "search() finds by words of the text, the title, the label, the names and the tags",
    async run(memory) {
      await make(memory, {
        text: "we moored the schooner",
        title: "Lisbon",
        label: "voyage",
        names: ["Inês"],
        tags: ["sailing"],
      });
      await make(memory, { text: "nothing of the kind" });
      for (const query of ["schooner", "Where was the SCHOONER?", "lisbon", "voyage", "Inês", "sailing"])
        deepStrictEqual(await found(memory, query), ["we moored the schooner"], query);
      for (const query of ["", "quixotic", '"', "* OR (", "a AND NOT b", "\0"])
        ok((await memory.search("local", { query })).hits.every(({ score }) => score >= 0 && score <= 1));
    },
  },
  {
    name: "search() finds what a text says now, and no longer what it said",
    async run(memory) {
      const { id } = await make(memory, { text: "the key is under the flowerpot" });
      await change(memory, { do: "update_block_text", id, text: "the key is in the toolshed" });
      deepStrictEqual(await found(memory, "flowerpot"), []);
      deepStrictEqual(await found(memory, "toolshed"), ["the key is in the toolshed"]);
      await change(memory, { do: "undo_block", id });
      deepStrictEqual(await found(memory, "toolshed"), []);
      deepStrictEqual(await found(memory, "flowerpot"), ["the key is under the flowerpot"]);
      await change(memory, { do: "erase_block", id });
      deepStrictEqual(await found(memory, "flowerpot"), []);
    },
  },
  {
    name: "search() says why it found nothing",
    async run(memory) {
      const empty = await memory.search("local", { query: "anything" });
      ok(empty.hits.length === 0 && (empty.note ?? "") !== "");
      await make(memory, { text: "a lantern", kind: "note" });
      const none = await memory.search("local", { query: "lantern", kinds: ["block"] });
      ok(none.hits.length === 0 && (none.note ?? "") !== "");
      const some = await memory.search("local", { query: "lantern" });
      deepStrictEqual([some.hits.length, some.total], [1, 1]);
    },
  },
  {
    name: "search() gives pages, and the neighbours of a hit in their order",
    async run(memory) {
      const texts = ["zero", "one", "a lantern", "three", "four", "another lantern"];
      await memory.edit(
        "local",
        texts.map(
          (text): MemoryEdit => ({
            do: "create_block",
            entry: { kind: "message", text, place: { session: "s" } },
          }),
        ),
        ada,
      );
      const query = "lantern";
      const pages = await Promise.all(
        [0, 1, 1_000].map((offset) => memory.search("local", { query, limit: 1, offset })),
      );
      deepStrictEqual(
        pages.map(({ hits }) => hits.length),
        [1, 1, 0],
      );
      deepStrictEqual(new Set(pages.flatMap(({ hits }) => hits.map(({ entry }) => entry.text))).size, 2);
      const { hits } = await memory.search("local", { query, window: 2 });
      const hit = hits.find(({ entry }) => entry.text === "a lantern");
      deepStrictEqual(
        [hit?.before.map(({ text }) => text), hit?.after.map(({ text }) => text)],
        [
          ["zero", "one"],
          ["three", "four"],
        ],
      );
    },
  },
  {
    name: "persist() resolves once everything is written",
    async run(memory) {
      await memory.persist();
      const { id } = await make(memory, { text: "t" });
      await memory.persist();
      strictEqual((await memory.get("local", id))?.text, "t");
    },
  },
];
