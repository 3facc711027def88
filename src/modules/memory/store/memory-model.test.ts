import fc from "fast-check";
import { expect, test } from "vitest";
import { expectModelled } from "../../../../test/support/memory-model.ts";
import { openStore } from "../../../app/store/index.ts";
import type { MemoryEntry } from "./memory-entry.ts";
import type { MemoryEdit } from "./memory-store.ts";

const author = { by: "agent:ada" };

test("a store of memory is what a plain model of it is, for every scope", async () => {
  await expectModelled(() => openStore({ path: ":memory:" }), 60);
});

test("to take back any number of changes and to make them again changes nothing", async () => {
  const one = fc.constantFrom(
    { do: "append_to_block" as const, text: "x" },
    { do: "set_block_facts" as const, facts: { pinned: true, tags: ["t"], label: "l", validTo: 5 } },
    { do: "set_block_facts" as const, facts: { pinned: false, tags: null, label: null, title: "t" } },
    { do: "delete_block" as const },
    { do: "restore_block" as const },
    { do: "undo_block" as const },
  );
  await using store = await openStore({ path: ":memory:" });
  let lines = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 20 }), fc.nat(), async (changes, back) => {
      const scope = `scope ${lines++}`;
      const make = (edits: readonly MemoryEdit[]) => store.memory.edit(scope, edits, author);
      const [made] = await make([{ do: "create_block", entry: { kind: "block", text: "start" } }]);
      const id = made?.id ?? "";
      for (const each of changes) await make([{ ...each, id }]).catch(() => undefined);
      const before = (await store.memory.get(scope, id)) as MemoryEntry;
      const history = await store.memory.history(scope, id);
      const steps = before.undoDepth === 0 ? 0 : (back % before.undoDepth) + 1;
      await make(Array(steps).fill({ do: "undo_block", id }));
      await make(Array(steps).fill({ do: "redo_block", id }));
      const after = (await store.memory.get(scope, id)) as MemoryEntry;
      expect({ ...after, revision: 0, changedAt: 0 }).toEqual({ ...before, revision: 0, changedAt: 0 });
      expect(await store.memory.history(scope, id)).toEqual(history);
    }),
    { numRuns: 60 },
  );
});
