import { expect, test } from "vitest";
import { type AclRow, operationsOf, testAcl } from "../../../../test/support/memory-acl.ts";
import { type MemoryStore, memoryPermissions } from "../../../store/index.ts";
import { openMemoryWorld, outcomeOf } from "../../../../test/support/memory-world.ts";
import { noteTools } from "./note-tools.ts";
import type { MemoryDigest } from "./services.ts";

const note = { kind: "note", label: "notes/haft/it", title: "it", tags: ["project:haft"] } as const;
const profile = { kind: "profile", label: "profile/haft", tags: ["project:haft"] } as const;
const title = "it";

const rows: readonly AclRow[] = [
  { name: "list_notes", tool: "list_notes", params: () => ({}), operation: "read", entry: note },
  { name: "read_note", tool: "read_note", params: () => ({ title }), operation: "read", entry: note },
  {
    name: "write_note",
    tool: "write_note",
    params: () => ({ title, content: "two" }),
    operation: "overwrite",
    entry: note,
  },
  {
    name: "append_note",
    tool: "append_note",
    params: () => ({ title, content: "two" }),
    operation: "append",
    entry: note,
  },
  {
    name: "delete_note",
    tool: "delete_note",
    params: () => ({ title }),
    operation: "delete",
    entry: note,
    asksAnyway: true,
  },
  {
    name: "promote_note of it",
    tool: "promote_note",
    params: () => ({ title }),
    operation: "read",
    entry: note,
    looks: false,
  },
  {
    name: "promote_note into it",
    tool: "promote_note",
    params: () => ({ title }),
    operation: "overwrite",
    entry: profile,
    others: [note],
  },
  { name: "view_profile", tool: "view_profile", params: () => ({}), operation: "read", entry: profile },
  {
    name: "edit_project_profile",
    tool: "edit_project_profile",
    params: () => ({ content: "two" }),
    operation: "overwrite",
    entry: profile,
  },
  {
    name: "regenerate_profile",
    tool: "regenerate_profile",
    params: () => ({}),
    operation: "overwrite",
    entry: profile,
    others: [note],
  },
  { name: "memory_search", tool: "memory_search", params: () => ({ query: "one" }), operation: "read" },
  { name: "memory_stats", tool: "memory_stats", params: () => ({}), operation: "read", entry: note },
];

const answering = async () => "of a model";
const digest: MemoryDigest = { promote: answering, regenerate: answering, compact: answering };
const toolsOf = (memory: MemoryStore) => noteTools({ memory, project: "haft", digest });

testAcl(toolsOf, rows);

test("every tool has a row, except those that choose what they may change", () => {
  const covered = rows.map(({ tool }) => tool);
  expect(operationsOf(toolsOf({} as MemoryStore)).filter((tool) => !covered.includes(tool))).toEqual([
    "memory_reindex",
    "compact_memory",
  ]);
});

test("compact_memory digests only what may be overwritten without asking", async () => {
  await using world = await openMemoryWorld(toolsOf);
  const at = Date.parse("2026-05-04T08:00:00Z");
  for (const permission of memoryPermissions) {
    const memory = { kind: "memory", text: permission, at, permission } as const;
    await world.put({}, memory, { ...memory, text: `another ${permission}` });
  }
  expect(outcomeOf(await world.call("compact_memory", {}))).toMatchObject({ weeks: [{ entries: 4 }] });
  const digested = (await world.all({})).filter(({ supersededBy }) => supersededBy !== undefined);
  expect(new Set(digested.map(({ permission }) => permission))).toEqual(new Set(["read_write", "admin"]));
  expect(world.asked).toEqual([]);
});
