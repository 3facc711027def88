import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type {
  ChangedFacts,
  MemoryEdit,
  MemoryEntry,
  MemoryStore,
  NewMemoryEntry,
} from "../modules/memory/index.ts";
import type { ContractCase } from "./contract-case.ts";
import { ada, change, code, listTexts, make } from "./memory-worlds.ts";

const full: NewMemoryEntry = {
  kind: "note",
  text: "Ada works at the Analytical Engine",
  label: "people/ada",
  tier: "core",
  title: "Ada Lovelace",
  names: ["Ada", "Countess of Lovelace"],
  category: "people",
  tags: ["work", "maths"],
  permission: "append",
  pinned: true,
  validFrom: 1,
  validTo: 9_000_000_000_000,
  place: { session: "chat 1", position: 7, speaker: "Charles", role: "user", channel: "cli" },
  at: 1_000,
  trust: "untrusted",
};

const create = (entry: Partial<NewMemoryEntry> & Pick<NewMemoryEntry, "text">): MemoryEdit => ({
  do: "create_block",
  entry: { kind: "memory", ...entry },
});

/** How edits are made: whole, one after the other, and with what each of them needs to hold. */
export const memoryEditCases: readonly ContractCase<MemoryStore>[] = [
  {
    name: "edit() keeps all that is said of an entry",
    async run(memory) {
      const [made] = await memory.edit("local", [{ do: "create_block", entry: full }], ada);
      const { id, createdAt, changedAt, ...rest } = made as MemoryEntry;
      deepStrictEqual(rest, {
        scope: "local",
        kind: "note",
        label: "people/ada",
        tier: "core",
        text: full.text,
        title: "Ada Lovelace",
        names: ["Ada", "Countess of Lovelace"],
        category: "people",
        tags: ["work", "maths"],
        permission: "append",
        pinned: true,
        trust: "untrusted",
        place: full.place,
        at: 1_000,
        validFrom: 1,
        validTo: 9_000_000_000_000,
        supersededBy: undefined,
        author: ada,
        deletedAt: undefined,
        revision: 1,
        undoDepth: 0,
        redoDepth: 0,
      });
      strictEqual(createdAt, changedAt);
      deepStrictEqual(await memory.get("local", id), made);
      deepStrictEqual(await memory.get("local", "people/ada"), made);
      deepStrictEqual((await memory.list("local")).entries, [made]);
    },
  },
  {
    name: "edit() fills in what is not said",
    async run(memory) {
      const made = await make(memory, { text: "plain" });
      const { tier, permission, pinned, trust, names, tags, place, label, at, createdAt } = made;
      deepStrictEqual(
        [tier, permission, pinned, trust, names, tags, place, label],
        ["archival", "read_write", false, "trusted", [], [], undefined, undefined],
      );
      strictEqual(at, createdAt);
    },
  },
  {
    name: "edit() keeps every text that has no NUL and no half character, as it is",
    async run(memory) {
      const texts = [
        "",
        " \n\t",
        "naïve 東京 🙂 \u202e",
        "'; drop table x; --",
        '%_*"\\',
        "x".repeat(200_000),
      ];
      for (const text of texts) {
        const { id } = await make(memory, { text });
        strictEqual((await memory.get("local", id))?.text, text);
      }
      const { id } = await make(memory, { text: "a\0b\ud800c" });
      const kept = (await memory.get("local", id))?.text ?? "";
      ok(/^a.b.c$/su.test(kept) && kept.isWellFormed() && !kept.includes("\0"), JSON.stringify(kept));
    },
  },
  {
    name: "edit() refuses what can't be kept, and keeps nothing of it",
    async run(memory) {
      const refused: [Partial<NewMemoryEntry>, string][] = [
        [{ text: "x".repeat(1_000_001) }, "MEMORY_TOO_LONG"],
        [{ label: "" }, "MEMORY_LABEL"],
        [{ label: "a\nb" }, "MEMORY_LABEL"],
        [{ label: "x".repeat(201) }, "MEMORY_LABEL"],
        [{ label: "half \ud800" }, "MEMORY_LABEL"],
        [{ kind: "" }, "MEMORY_INVALID"],
        [{ title: "x".repeat(301) }, "MEMORY_INVALID"],
        [{ tags: [""] }, "MEMORY_INVALID"],
        [{ at: 1.5 }, "MEMORY_INVALID"],
        [{ at: Number.NaN }, "MEMORY_INVALID"],
        [{ place: { session: "" } }, "MEMORY_INVALID"],
        [{ place: { session: "s", position: 0.5 } }, "MEMORY_INVALID"],
        [{ supersededBy: "nobody" }, "MEMORY_NOT_FOUND"],
      ];
      for (const [entry, expected] of refused)
        await rejects(
          make(memory, { text: "t", ...entry }),
          code(expected),
          JSON.stringify(entry).slice(0, 60),
        );
      deepStrictEqual(await memory.list("local"), { entries: [], total: 0, next: undefined });
    },
  },
  {
    name: "edit() makes all changes or none",
    async run(memory) {
      const kept = await make(memory, { text: "one", label: "one" });
      await rejects(
        memory.edit(
          "local",
          [
            { do: "update_block_text", id: kept.id, text: "two" },
            { do: "share_block", id: kept.id, with: "other", permission: "admin" },
            create({ text: "new" }),
            { do: "delete_block", id: "nobody" },
          ],
          ada,
        ),
        code("MEMORY_NOT_FOUND"),
      );
      deepStrictEqual((await memory.list("local")).entries, [kept]);
      deepStrictEqual(await memory.shares("local", kept.id), []);
      strictEqual((await memory.history("local", kept.id)).length, 1);
      deepStrictEqual(await memory.edit("local", [], ada), []);
    },
  },
  {
    name: "edit() knows by #0, #1, … the entries of the changes before",
    async run(memory) {
      const old = await make(memory, { text: "lives in Rome" });
      const [created, superseded, shared] = await memory.edit(
        "local",
        [
          create({ text: "lives in Paris" }),
          { do: "set_block_facts", id: old.id, facts: { supersededBy: "#0" } },
          { do: "share_block", id: "#0", with: "other", permission: "read_only" },
        ],
        ada,
      );
      strictEqual(superseded?.supersededBy, created?.id);
      strictEqual(shared?.id, created?.id);
      strictEqual((await memory.shares("local", created?.id ?? "")).length, 1);
      for (const id of ["#1", "#7"])
        await rejects(
          memory.edit("local", [create({ text: "x" }), { do: "delete_block", id }], ada),
          code("MEMORY_INVALID"),
        );
    },
  },
  {
    name: "edit() gives every entry as it is after all changes",
    async run(memory) {
      const { id } = await make(memory, { text: "a" });
      const both = await memory.edit(
        "local",
        [
          { do: "append_to_block", id, text: "b" },
          { do: "append_to_block", id, text: "c" },
        ],
        ada,
      );
      deepStrictEqual(
        both.map(({ text, revision }) => [text, revision]),
        [
          ["a\nb\nc", 3],
          ["a\nb\nc", 3],
        ],
      );
    },
  },
  {
    name: "edit() makes no change for another revision than the entry had before",
    async run(memory) {
      const { id, revision } = await make(memory, { text: "a" });
      const append = (text: string): MemoryEdit => ({ do: "append_to_block", id, revision, text });
      const [entry] = await memory.edit("local", [append("b"), append("c")], ada);
      strictEqual(entry?.text, "a\nb\nc");
      await rejects(change(memory, append("d")), code("MEMORY_CHANGED"));
      await change(memory, { do: "share_block", id, with: "other", permission: "append" });
      await rejects(
        change(memory, { do: "delete_block", id, revision: entry.revision }),
        code("MEMORY_CHANGED"),
      );
      strictEqual((await memory.get("local", id))?.revision, entry.revision + 1);
    },
  },
  {
    name: "edit() lets one of many at once through where all are for the same revision",
    async run(memory) {
      const { id, revision } = await make(memory, { text: "start" });
      const all = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) =>
          change(memory, { do: "update_block_text", id, revision, text: `writer ${index}` }),
        ),
      );
      strictEqual(all.filter(({ status }) => status === "fulfilled").length, 1);
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          change(memory, { do: "append_to_block", id, text: `${index}` }),
        ),
      );
      strictEqual((await memory.get("local", id))?.text.split("\n").length, 9);
    },
  },
  {
    name: "edit() appends on a line of its own, and changes nothing for what is so already",
    async run(memory) {
      const { id } = await make(memory, { text: "" });
      strictEqual((await change(memory, { do: "append_to_block", id, text: "a" })).text, "a");
      strictEqual((await change(memory, { do: "append_to_block", id, text: "b\n" })).text, "a\nb\n");
      const last = await change(memory, { do: "append_to_block", id, text: "c" });
      strictEqual(last.text, "a\nb\nc");
      deepStrictEqual(await change(memory, { do: "update_block_text", id, text: "a\nb\nc" }), last);
      const long = await make(memory, { text: "x".repeat(999_999) });
      await rejects(
        change(memory, { do: "append_to_block", id: long.id, text: "yz" }),
        code("MEMORY_TOO_LONG"),
      );
    },
  },
  {
    name: "edit() sets the facts that are named, takes away those that are null, and leaves the others",
    async run(memory) {
      const { id } = await make(memory, full);
      const changed = await change(memory, {
        do: "set_block_facts",
        id,
        facts: { label: null, title: null, tags: ["work", "maths", "x"], pinned: false, validTo: null },
      });
      const { label, title, tags, pinned, validTo, names, category, tier, text } = changed;
      deepStrictEqual(
        [label, title, tags, pinned, validTo, names, category, tier, text],
        [
          undefined,
          undefined,
          ["work", "maths", "x"],
          false,
          undefined,
          full.names,
          "people",
          "core",
          full.text,
        ],
      );
    },
  },
  {
    name: "edit() keeps a label for one entry of a scope, and frees it where that one is renamed, deleted or erased",
    async run(memory) {
      const first = await make(memory, { text: "1", label: "a" });
      await make(memory, { text: "of another scope", label: "a" }, "other");
      await rejects(make(memory, { text: "2", label: "a" }), code("MEMORY_LABEL_TAKEN"));
      const both = [create({ text: "2", label: "b" }), create({ text: "3", label: "b" })];
      await rejects(memory.edit("local", both, ada), code("MEMORY_LABEL_TAKEN"));
      await change(memory, { do: "set_block_facts", id: first.id, facts: { label: "c" } });
      const second = await make(memory, { text: "2", label: "a" });
      await rejects(
        change(memory, { do: "set_block_facts", id: first.id, facts: { label: "a" } }),
        code("MEMORY_LABEL_TAKEN"),
      );
      await change(memory, { do: "delete_block", id: second.id });
      const third = await make(memory, { text: "3", label: "a" });
      await rejects(change(memory, { do: "restore_block", id: second.id }), code("MEMORY_LABEL_TAKEN"));
      await rejects(change(memory, { do: "undo_block", id: second.id }), code("MEMORY_LABEL_TAKEN"));
      await change(memory, { do: "erase_block", id: third.id });
      strictEqual((await change(memory, { do: "restore_block", id: second.id })).label, "a");
    },
  },
  {
    name: "edit() lets two entries of one scope change labels",
    async run(memory) {
      const a = await make(memory, { text: "a", label: "a" });
      const b = await make(memory, { text: "b", label: "b" });
      await memory.edit(
        "local",
        [
          { do: "set_block_facts", id: a.id, facts: { label: null } },
          { do: "set_block_facts", id: b.id, facts: { label: "a" } },
          { do: "set_block_facts", id: a.id, facts: { label: "b" } },
        ],
        ada,
      );
      strictEqual((await memory.get("local", "a"))?.id, b.id);
      strictEqual((await memory.get("local", "b"))?.id, a.id);
    },
  },
  {
    name: "edit() keeps no entry that ends before it begins to be so",
    async run(memory) {
      await rejects(make(memory, { text: "a", validFrom: 2, validTo: 1 }), code("MEMORY_INVALID"));
      const { id } = await make(memory, { text: "a", validFrom: 2, validTo: 2 });
      const set = (facts: ChangedFacts) => change(memory, { do: "set_block_facts", id, facts });
      await rejects(set({ validFrom: 3 }), code("MEMORY_INVALID"));
      await rejects(set({ validTo: 1 }), code("MEMORY_INVALID"));
      await set({ validFrom: null, validTo: 1 });
      const { validFrom, validTo } = await set({ validFrom: 0 });
      deepStrictEqual([validFrom, validTo], [0, 1]);
    },
  },
  {
    name: "edit() deletes so that it can be restored, and erases for good",
    async run(memory) {
      const { id } = await make(memory, { text: "a", label: "a" });
      const deleted = await change(memory, { do: "delete_block", id });
      notStrictEqual(deleted.deletedAt, undefined);
      strictEqual(await memory.get("local", "a"), undefined);
      deepStrictEqual(await memory.get("local", id), deleted);
      deepStrictEqual(await listTexts(memory), []);
      deepStrictEqual(await listTexts(memory, { with: ["deleted"] }), ["a"]);
      for (const edit of [
        { do: "append_to_block", text: "b" },
        { do: "set_block_facts", facts: { title: "b" } },
        { do: "delete_block" },
        { do: "share_block", with: "other", permission: "admin" },
      ] as const)
        await rejects(change(memory, { ...edit, id }), code("MEMORY_NOT_FOUND"));
      const restored = await change(memory, { do: "restore_block", id });
      deepStrictEqual([restored.deletedAt, restored.text], [undefined, "a"]);
      deepStrictEqual(await change(memory, { do: "restore_block", id }), restored);
      await change(memory, { do: "erase_block", id });
      strictEqual(await memory.get("local", id), undefined);
      deepStrictEqual(await listTexts(memory, { with: ["deleted"] }), []);
      deepStrictEqual(await memory.history("local", id), []);
      await rejects(change(memory, { do: "restore_block", id }), code("MEMORY_NOT_FOUND"));
    },
  },
  {
    name: "edit() puts a turn after the last of its session, where it is not said where",
    async run(memory) {
      const turn = (text: string, session = "a", position?: number) =>
        create({ text, place: { session, ...(position !== undefined && { position }) } });
      const made = await memory.edit(
        "local",
        [turn("1"), turn("x", "b"), turn("2"), turn("10", "a", 10), turn("11")],
        ada,
      );
      const positions = (entries: readonly MemoryEntry[]) => entries.map(({ place }) => place?.position);
      deepStrictEqual(positions(made), [1, 1, 2, 10, 11]);
      deepStrictEqual(positions(await memory.edit("local", [turn("12")], ada)), [12]);
      deepStrictEqual(positions(await memory.edit("other", [turn("1")], ada)), [1]);
    },
  },
  {
    name: "edit() keeps what an entry that is brought was elsewhere, and its id, which no other has",
    async run(memory) {
      const was = { id: "brought", author: { by: "owner:eve" }, createdAt: 1, changedAt: 2, deletedAt: 3 };
      const entry: NewMemoryEntry = { kind: "note", text: "t", label: "l", supersededBy: "to_come" };
      const bring: MemoryEdit = { do: "create_block", entry, was };
      const labelled = await make(memory, { text: "has the label meanwhile", label: "l" });
      const [{ id, author, createdAt, changedAt, deletedAt, supersededBy }] = (await memory.edit(
        "local",
        [bring],
        ada,
      )) as readonly [MemoryEntry];
      deepStrictEqual({ id, author, createdAt, changedAt, deletedAt }, was);
      strictEqual(supersededBy, "to_come");
      await rejects(memory.edit("other", [bring], ada), code("MEMORY_INVALID"));
      for (const wrong of [{ id: "a b" }, { id: "" }, { createdAt: 0.5 }])
        await rejects(
          memory.edit("local", [{ ...bring, was: { ...was, ...wrong } }], ada),
          code("MEMORY_INVALID"),
        );
      await rejects(change(memory, { do: "restore_block", id }), code("MEMORY_LABEL_TAKEN"));
      await change(memory, { do: "erase_block", id: labelled.id });
      strictEqual((await change(memory, { do: "restore_block", id })).deletedAt, undefined);
      strictEqual((await change(memory, { do: "undo_block", id })).deletedAt, 3);
    },
  },
];
