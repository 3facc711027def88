import { expect, test } from "vitest";
import { type AclRow, testAcl } from "../../../../../test/support/memory-acl.ts";
import { type MemoryFileWorld, openMemoryFileWorld } from "../../../../../test/support/memory-file-world.ts";
import { blockTools } from "../blocks/index.ts";
import { memoriesTools } from "../memories/index.ts";
import { noteTools } from "../notes/index.ts";

const path = "facts/tea.md";

type Row = AclRow<MemoryFileWorld>;

/** Files have no permission: what an entry of the same scope allows is nothing to them, and they change none. */
function row(tool: string, params: object, looks: boolean): Row {
  return {
    name: tool,
    tool,
    params: () => params,
    operation: "read",
    looks,
    before: async (world, _entry, context) => {
      world.byHand(path, "# Tea\n\nAda likes tea\n", context);
      await world.passages(context);
    },
  };
}

const rows: readonly Row[] = [
  row("memory_list", {}, true),
  row("memory_read", { path }, true),
  row("memory_write", { path, content: "# Tea\n\nAda likes coffee\n" }, false),
  row("memory_patch", { path, old_str: "tea", new_str: "coffee" }, false),
  row("memory_append", { path, entry: "Bob likes coffee" }, false),
];

testAcl("memoryFiles", () => openMemoryFileWorld(), rows);

test("what a memory file says is changed in the file, and by no tool for entries", async () => {
  await using world = await openMemoryFileWorld((memory) => [
    ...blockTools({ memory }),
    ...memoriesTools({ memory }),
    ...noteTools({ memory, project: "haft" }),
  ]);
  world.byHand(path, "# Tea\n\nAda likes tea\n");
  const { entries } = await world.followed.list("local", { kinds: ["passage"] });
  const [passage] = entries;
  const { id = "", label } = passage ?? {};
  const before = await world.all({});
  for (const key of [id, label])
    for (const [tool, params] of [
      ["recall", { operation: "append", label: key, content: "two" }],
      ["recall", { operation: "delete", label: key }],
      ["memory_forget", { id: key }],
      ["memory_store", { content: "Ada likes coffee", supersedes: key }],
    ] as const)
      expect(await world.call(tool, params), tool).toMatchObject({ code: "MEMORY_DENIED" });
  expect(await world.all({})).toEqual(before);
  expect(world.asked).toEqual([]);
});
