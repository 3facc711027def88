import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { MemoryStore } from "../modules/memory/index.ts";
import type { ContractCase } from "./contract-case.ts";
import { ada, change, code, expectUnseen, listTexts, make } from "./memory-worlds.ts";

const sharing = { do: "share_block", with: "other" } as const;

/** What an entry was, how to go back there, and who else has it. */
export const memoryHistoryCases: readonly ContractCase<MemoryStore>[] = [
  {
    name: "history() tells every version, the newest first, with who made it",
    async run(memory) {
      const { id } = await make(memory, { text: "a", title: "A" });
      await memory.edit("local", [{ do: "append_to_block", id, text: "b" }], { by: "agent:bob" });
      await memory.edit("local", [{ do: "set_block_facts", id, facts: { title: "B" } }], { by: "owner:eve" });
      await memory.edit("local", [{ do: "delete_block", id }], ada);
      const history = await memory.history("local", id);
      deepStrictEqual(
        history.map((each) => [each.version, each.change, each.author.by, each.text, each.facts.title]),
        [
          [4, "delete_block", "agent:ada", "a\nb", "B"],
          [3, "set_block_facts", "owner:eve", "a\nb", "B"],
          [2, "append_to_block", "agent:bob", "a\nb", "A"],
          [1, "create_block", "agent:ada", "a", "A"],
        ],
      );
      deepStrictEqual(
        history.map(({ current, deleted }) => [current, deleted]),
        [
          [true, true],
          [false, false],
          [false, false],
          [false, false],
        ],
      );
      deepStrictEqual(await memory.history("local", "nobody"), []);
    },
  },
  {
    name: "edit() takes changes back and makes them again, with all that belongs to them",
    async run(memory) {
      const { id } = await make(memory, { text: "a", label: "l", tags: ["x"], trust: "trusted" });
      await change(memory, { do: "update_block_text", id, text: "b", trust: "untrusted" });
      await change(memory, {
        do: "set_block_facts",
        id,
        facts: { label: "m", tags: null, pinned: true, tier: "core" },
      });
      const last = await change(memory, { do: "delete_block", id });
      const states: unknown[] = [];
      for (const step of ["undo_block", "undo_block", "undo_block", "redo_block"] as const) {
        const e = await change(memory, { do: step, id });
        states.push([
          e.text,
          e.label,
          e.tags,
          e.pinned,
          e.tier,
          e.trust,
          e.deletedAt,
          e.undoDepth,
          e.redoDepth,
        ]);
      }
      const second = ["b", "l", ["x"], false, "archival", "untrusted", undefined, 1, 2];
      deepStrictEqual(states, [
        ["b", "m", [], true, "core", "untrusted", undefined, 2, 1],
        second,
        ["a", "l", ["x"], false, "archival", "trusted", undefined, 0, 3],
        second,
      ]);
      await rejects(
        memory.edit("local", Array(2).fill({ do: "undo_block", id }), ada),
        code("MEMORY_NOTHING_TO_UNDO"),
      );
      await change(memory, { do: "redo_block", id });
      const again = await change(memory, { do: "redo_block", id });
      deepStrictEqual({ ...again, revision: 0, changedAt: 0 }, { ...last, revision: 0, changedAt: 0 });
      await rejects(change(memory, { do: "redo_block", id }), code("MEMORY_NOTHING_TO_UNDO"));
    },
  },
  {
    name: "edit() makes what was taken back no longer to be made again once something else was changed",
    async run(memory) {
      const { id } = await make(memory, { text: "1" });
      for (const text of ["2", "3"]) await change(memory, { do: "update_block_text", id, text });
      for (let count = 0; count < 2; count++) await change(memory, { do: "undo_block", id });
      const other = await change(memory, { do: "update_block_text", id, text: "4" });
      deepStrictEqual([other.undoDepth, other.redoDepth], [1, 0]);
      await rejects(change(memory, { do: "redo_block", id }), code("MEMORY_NOTHING_TO_UNDO"));
      await change(memory, { do: "update_block_text", id, text: "5" });
      const texts = async () => (await memory.history("local", id)).map(({ text }) => text);
      deepStrictEqual(await texts(), ["5", "4", "3", "2", "1"]);
      for (const text of ["4", "1"]) strictEqual((await change(memory, { do: "undo_block", id })).text, text);
      for (const text of ["4", "5"]) strictEqual((await change(memory, { do: "redo_block", id })).text, text);
      deepStrictEqual(await texts(), ["5", "4", "3", "2", "1"]);
      const [newest] = await memory.history("local", id);
      strictEqual(newest?.current, true);
    },
  },
  {
    name: "edit() refuses to take back what would give a label that was given away since",
    async run(memory) {
      const { id } = await make(memory, { text: "1", label: "a" });
      await change(memory, { do: "set_block_facts", id, facts: { label: "b" } });
      await make(memory, { text: "2", label: "a" });
      await rejects(change(memory, { do: "undo_block", id }), code("MEMORY_LABEL_TAKEN"));
      strictEqual((await memory.get("local", "b"))?.id, id);
    },
  },
  {
    name: "edit() keeps a hundred changes of an entry at least, and lets the oldest go",
    async run(memory) {
      const { id } = await make(memory, { text: "0" });
      for (let count = 1; count <= 500; count += 50)
        await memory.edit(
          "local",
          Array.from({ length: 50 }, (_, index) => ({
            do: "update_block_text" as const,
            id,
            text: `${count + index}`,
          })),
          ada,
        );
      const { undoDepth = 0 } = (await memory.get("local", id)) ?? {};
      const versions = (await memory.history("local", id)).map(({ text }) => Number(text));
      strictEqual(undoDepth >= 100 && undoDepth < 500, true, `${undoDepth} can be taken back`);
      deepStrictEqual(
        versions,
        Array.from(versions, (_, index) => 500 - index),
      );
      strictEqual(versions.length, undoDepth + 1);
      const steps = Array.from({ length: undoDepth }, () => ({ do: "undo_block" as const, id }));
      const first = (await memory.edit("local", steps, ada)).at(-1);
      deepStrictEqual([first?.text, first?.redoDepth], [`${500 - undoDepth}`, undoDepth]);
      await rejects(change(memory, { do: "undo_block", id }), code("MEMORY_NOTHING_TO_UNDO"));
    },
  },
  {
    name: "edit() shares an entry with one scope, and takes that back",
    async run(memory) {
      const entry = await make(memory, { text: "the harbour opens at dawn", label: "harbour" });
      await expectUnseen(memory, entry, "other");
      await change(memory, { ...sharing, id: entry.id, permission: "read_only" });
      strictEqual((await memory.get("other", entry.id))?.text, entry.text);
      strictEqual((await memory.get("other", "harbour"))?.id, entry.id);
      deepStrictEqual(await listTexts(memory, {}, "other"), [entry.text]);
      deepStrictEqual(await listTexts(memory, { owned: "own" }, "other"), []);
      deepStrictEqual(await listTexts(memory, { owned: "shared" }, "other"), [entry.text]);
      deepStrictEqual(await listTexts(memory, { owned: "shared" }), []);
      strictEqual((await memory.search("other", { query: "harbour" })).hits[0]?.entry.id, entry.id);
      await expectUnseen(memory, entry, "third");
      await change(memory, { do: "unshare_block", id: entry.id, with: "other" });
      await expectUnseen(memory, entry, "other");
      strictEqual((await memory.get("local", "harbour"))?.id, entry.id);
      strictEqual((await memory.search("local", { query: "harbour" })).hits.length, 1);
    },
  },
  {
    name: "get() and list() give the stricter of an entry's permission and its share's",
    async run(memory) {
      const cases = [
        ["read_write", "append", "append"],
        ["append", "admin", "append"],
        ["admin", "read_only", "read_only"],
        ["partner", "human", "partner"],
      ] as const;
      for (const [permission, share, expected] of cases) {
        const { id } = await make(memory, { text: "t", permission });
        await change(memory, { ...sharing, id, permission: share });
        strictEqual((await memory.get("other", id))?.permission, expected);
        strictEqual((await memory.get("local", id))?.permission, permission);
        const listed = (await memory.list("other")).entries.find((each) => each.id === id);
        strictEqual(listed?.permission, expected);
      }
    },
  },
  {
    name: "get() prefers an own entry with a label to one that is shared",
    async run(memory) {
      const theirs = await make(memory, { text: "theirs", label: "persona" });
      await change(memory, { ...sharing, id: theirs.id, permission: "admin" });
      const own = await make(memory, { text: "own", label: "persona" }, "other");
      strictEqual((await memory.get("other", "persona"))?.id, own.id);
      strictEqual((await memory.get("other", theirs.id))?.id, theirs.id);
      await change(memory, { do: "delete_block", id: own.id }, "other");
      strictEqual((await memory.get("other", "persona"))?.id, theirs.id);
    },
  },
  {
    name: "shares() tells an owner all shares, and another its own",
    async run(memory) {
      const { id } = await make(memory, { text: "t" });
      for (const scope of ["b", "a"])
        await change(memory, { do: "share_block", id, with: scope, permission: "append" });
      await change(memory, { do: "share_block", id, with: "a", permission: "read_only" });
      const shares = await memory.shares("local", id);
      deepStrictEqual(shares.map(({ scope, permission }) => `${scope} ${permission}`).sort(), [
        "a read_only",
        "b append",
      ]);
      strictEqual(
        shares.every(({ owner, entryId, sharedAt }) => owner === "local" && entryId === id && sharedAt > 0),
        true,
      );
      deepStrictEqual(
        (await memory.shares("a", id)).map(({ scope }) => scope),
        ["a"],
      );
      deepStrictEqual(await memory.shares("c", id), []);
      await rejects(
        change(memory, { do: "share_block", id, with: "local", permission: "admin" }),
        code("MEMORY_INVALID"),
      );
    },
  },
  {
    name: "edit() lets others change the text of what is shared, and its owner alone the rest",
    async run(memory) {
      const { id } = await make(memory, { text: "a" });
      await rejects(
        change(memory, { do: "append_to_block", id, text: "b" }, "other"),
        code("MEMORY_NOT_FOUND"),
      );
      await change(memory, { ...sharing, id, permission: "admin" });
      strictEqual((await change(memory, { do: "append_to_block", id, text: "b" }, "other")).text, "a\nb");
      for (const edit of [
        { do: "set_block_facts", facts: { title: "x" } },
        { do: "delete_block" },
        { do: "erase_block" },
        { do: "restore_block" },
        { do: "undo_block" },
        { do: "redo_block" },
        { do: "share_block", with: "third", permission: "read_only" },
        { do: "unshare_block", with: "other" },
      ] as const)
        await rejects(change(memory, { ...edit, id }, "other"), code("MEMORY_NOT_OWNER"), edit.do);
      deepStrictEqual(await memory.history("other", id), []);
      strictEqual((await memory.history("local", id)).length, 2);
      await change(memory, { do: "delete_block", id });
      strictEqual(await memory.get("other", id), undefined);
      deepStrictEqual(await listTexts(memory, { with: ["deleted"] }, "other"), []);
      await change(memory, { do: "undo_block", id });
      strictEqual((await memory.get("other", id))?.text, "a\nb");
    },
  },
];
