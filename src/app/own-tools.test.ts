import { expect, test } from "vitest";
import { Installation } from "../../test/support/installation.ts";
import catalogue from "./catalogue.json" with { type: "json" };
import type { Profile } from "./config/config-types.ts";

/** The tools that do the same for files and commands: a profile has one of each line. */
const abilities: Readonly<Record<string, readonly string[]>> = {
  "read a file": ["read", "read_file"],
  "write a whole file": ["write", "write_file"],
  "replace text in a file": ["edit", "edit_file"],
  "search the text of files": ["grep", "grep_files"],
  "find files by name": ["glob", "list_files"],
  "list a folder": ["listdir", "list_files"],
  "look at one file": ["get_file_info"],
  "move a file": ["move_file"],
  "delete a file": ["delete_file"],
  "run a command": ["bash"],
  "take changes back": ["undo_changes"],
  remember: ["memory_store", "block", "memory_write", "write_note"],
};

async function namesIn(profile: Profile): Promise<ReadonlySet<string>> {
  const { app } = await new Installation().open("", { profile });
  return new Set(app.registry.list().map(({ name }) => name));
}

test.for(["coding", "task", "full", "queue"] as const)(
  "the profile %s has no two names for one ability",
  async (profile) => {
    const names = await namesIn(profile);
    for (const [ability, tools] of Object.entries(abilities))
      expect([ability, tools.filter((name) => names.has(name)).length]).toEqual([
        ability,
        expect.toBeOneOf([0, 1]),
      ]);
  },
);

test("the profile full has every ability that another profile has", async () => {
  const full = await namesIn("full");
  for (const tools of Object.values(abilities))
    expect(tools.filter((name) => full.has(name))).toHaveLength(1);
  const others = [...(await namesIn("coding")), ...(await namesIn("task"))];
  const known = new Set(Object.values(abilities).flat());
  const memories = new Set(
    [catalogue.memories, catalogue.memoryFiles].flatMap((family) => family.map(({ name }) => name)),
  );
  expect(others.filter((name) => !full.has(name) && !known.has(name) && !memories.has(name))).toEqual([]);
});

test("every tool for files and commands is in the table of abilities", () => {
  const { coding, task, shell, undo } = catalogue;
  const names = [coding, task, shell, undo].flatMap((family) => family.map(({ name }) => name));
  const known = new Set(Object.values(abilities).flat());
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});
