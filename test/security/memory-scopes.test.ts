import { describe, expect, test } from "vitest";
import type { CallContext } from "../../src/kernel/index.ts";
import { findMemoryScope } from "../../src/modules/memory/index.ts";
import { blockTools, memoriesTools, noteTools } from "../../src/modules/memory/tools/index.ts";
import { type MemoryFileWorld, openMemoryFileWorld } from "../support/memory-file-world.ts";

const canary = "canary-7d2e19";
const [owner, stranger]: [CallContext, CallContext] = [{ agentId: "ada" }, { agentId: "mallory" }];
const strangers: readonly CallContext[] = [
  stranger,
  {},
  { scope: "other", agentId: "ada" },
  { scope: "local/ada" },
  { agentId: "../ada" },
  { agentId: "Ada" },
  { agentId: "mallory/../ada" },
];

const openWorld = (names: string[] = []) =>
  openMemoryFileWorld((memory, files, graph) => {
    const tools = [
      ...memoriesTools({ memory, graph }),
      ...blockTools({ memory }),
      ...noteTools({ memory, files, project: "haft" }),
    ];
    names.push(...tools.map(({ name }) => name));
    return tools;
  });

/** What one agent has, with the ids of it. */
async function fill(world: MemoryFileWorld) {
  const stored = await world.call(
    "memory_store",
    {
      content: `Ada keeps ${canary} in the drawer`,
      relations: [{ source: "Drawer", relation: "holds", target: canary }],
    },
    owner,
  );
  const { id } = (stored.success ? stored.result : {}) as { readonly id: string };
  const block = { operation: "insert", label: "plans", content: canary };
  await world.call("recall", block, owner);
  await world.call("write_note", { title: "plans", content: canary }, owner);
  await world.call("edit_project_profile", { content: canary }, owner);
  await world.call("memory_write", { path: "facts/plans.md", content: canary }, owner);
  const [turn] = await world.put(owner, { kind: "message", text: canary, place: { session: "s" } });
  return [id, turn?.id as string, "plans", "notes/haft/plans", "profile/haft"];
}

/** Every tool, as it would be called to get at, or to change, what goes by this key. */
function callsFor(key: string): readonly (readonly [string, object])[] {
  const [content, label] = ["taken", key];
  const query = "what does Ada keep in the drawer?";
  return [
    ["memory_store", { content: `Ada keeps something in the drawer, ${key}`, supersedes: key }],
    ["memory_store", { content: "Ada keeps nothing in the drawer" }],
    ["memory_recall", { query, former: true, conversations: true }],
    ["memory_recall", { query: canary.slice(0, 6) }],
    ["memory_forget", { id: key }],
    ["memory_forget", { id: key, restore: true }],
    ["memory_forget", { query }],
    ["memory_graph", { action: "explore", query: "Drawer" }],
    ["memory_graph", { action: "search", query: "Draw" }],
    ["block", { operation: "append", label, content }],
    ["block", { operation: "replace", label, old_content: "a", new_content: "b" }],
    ["block", { operation: "archive", label }],
    ["block", { operation: "load", archival_label: key }],
    ["block", { operation: "load", archival_label: key, label: "mine" }],
    ["block", { operation: "swap", archive_label: key, load_label: key }],
    ["block", { operation: "share", label, agent: "mallory", permission: "admin" }],
    ["block", { operation: "unshare", label, agent: "ada" }],
    ["recall", { operation: "append", label, content }],
    ["recall", { operation: "read", label }],
    ["recall", { operation: "delete", label }],
    ["search", { domain: "all", query }],
    ["semantic_search", { query }],
    ["list_notes", {}],
    ["write_note", { title: key, content }],
    ["edit_project_profile", { content }],
    ["memory_write", { path: "facts/plans.md", content }],
    ["read_note", { title: key }],
    ["append_note", { title: key, content }],
    ["delete_note", { title: key }],
    ["promote_note", { title: key }],
    ["view_profile", {}],
    ["memory_search", { query }],
    ["memory_stats", {}],
    ["memory_reindex", {}],
    ["compact_memory", {}],
    ["regenerate_profile", {}],
    ["memory_list", {}],
    ["memory_read", { path: "facts/plans.md" }],
    ["memory_read", { path: "../ada/facts/plans.md" }],
    ["memory_read", { path: "facts/plans.md", former: 1 }],
    ["memory_patch", { path: "facts/plans.md", old_str: "canary", new_str: "x" }],
    ["memory_append", { path: `facts/${key.slice(0, 2)}.md`, entry: content }],
  ];
}

test("no tool shows an agent, or changes, what another has, by whatever it is called", async () => {
  const names: string[] = [];
  await using world = await openWorld(names);
  world.answer(true);
  const keys = await fill(world);
  const before = await world.all(owner);
  expect(before.length).toBeGreaterThan(5);
  const leaks: string[] = [];
  for (const [at, context] of strangers.entries())
    for (const [tool, params] of callsFor(keys[at % keys.length] as string)) {
      const { text } = await world.call(tool, params, context);
      if (text.includes(canary)) leaks.push(`${tool}: ${text}`);
    }
  expect(leaks).toEqual([]);
  expect(await world.all(owner)).toEqual(before);
  for (const [tool, params] of [
    ["memory_recall", { query: "what does Ada keep in the drawer?" }],
    ["memory_graph", { action: "explore", query: "Drawer" }],
    ["memory_read", { path: "facts/plans.md" }],
    ["read_note", { title: "plans" }],
    ["recall", { operation: "read", label: keys[0] }],
  ] as const)
    expect((await world.call(tool, params, owner)).text).toContain(canary);
  const tried = new Set(callsFor("x").map(([tool]) => tool));
  expect(names.filter((name) => !tried.has(name))).toEqual([]);
});

describe("an entry that is shared", () => {
  async function share(world: MemoryFileWorld) {
    world.answer(true);
    const turns = ["before", "shared", "after"].map((which) => ({
      kind: "message",
      text: `the ${which} one has ${which === "shared" ? "violets" : canary}`,
      place: { session: "s" },
      ...(which === "shared" && { label: "turn" }),
    }));
    const [, turn] = await world.put(owner, ...turns);
    const scope = findMemoryScope(stranger);
    const author = { by: "owner:ada" };
    const id = turn?.id as string;
    const edit = (change: object) =>
      world.memory.edit(findMemoryScope(owner), [{ id, ...change } as never], author);
    await edit({ do: "share_block", with: scope, permission: "append" });
    return { id, edit };
  }

  const seen = async (world: MemoryFileWorld) => {
    const texts: string[] = [];
    for (const [tool, params] of [
      ["memory_recall", { query: "violets", conversations: true }],
      ["search", { domain: "all", query: "violets" }],
      ["memory_search", { query: "violets" }],
      ["recall", { operation: "read", label: "turn" }],
    ] as const)
      texts.push((await world.call(tool, params, stranger)).text);
    return texts;
  };

  test("is seen alone: not what stands beside it, nor its history, nor who else has it", async () => {
    await using world = await openWorld();
    const { id, edit } = await share(world);
    await edit({ do: "share_block", with: "local/third", permission: "read_only" });
    const texts = await seen(world);
    for (const text of texts) {
      expect(text).toContain("violets");
      expect(text).not.toContain(canary);
    }
    const scope = findMemoryScope(stranger);
    expect(await world.memory.history(scope, id)).toEqual([]);
    expect((await world.memory.shares(scope, id)).map((one) => one.scope)).toEqual([scope]);
  });

  test.for([
    ["is no longer shared", [{ do: "unshare_block", with: findMemoryScope(stranger) }]],
    ["is deleted", [{ do: "delete_block" }]],
    ["was erased", [{ do: "erase_block" }]],
  ] as const)("is gone for whom it was shared with, by every way, once it %s", async ([, edits]) => {
    await using world = await openWorld();
    const { id, edit } = await share(world);
    for (const change of edits) await edit(change);
    for (const text of await seen(world)) expect(text).not.toMatch(/has violets/);
    const author = { by: "agent:mallory" };
    await expect(
      world.memory.edit(findMemoryScope(stranger), [{ do: "append_to_block", id, text: "x" }], author),
    ).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
  });

  test("allows no more than its owner allows by then", async () => {
    await using world = await openWorld();
    const { edit } = await share(world);
    const append = { operation: "append", label: "turn", content: "and roses" };
    expect(await world.call("block", append, stranger)).toMatchObject({ success: true });
    await edit({ do: "set_block_facts", facts: { permission: "read_only" } });
    expect(await world.call("block", append, stranger)).toMatchObject({ code: "MEMORY_DENIED" });
    const again = { operation: "share", label: "turn", agent: "third" };
    expect(await world.call("block", again, stranger)).toMatchObject({ success: false });
  });
});
