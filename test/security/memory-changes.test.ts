import { describe, expect, test } from "vitest";
import { chainTools } from "../../src/modules/chain/index.ts";
import { findMemoryScope } from "../../src/modules/memory/index.ts";
import { blockTools, memoriesTools, noteTools } from "../../src/modules/memory/tools/index.ts";
import { openMemoryFileWorld } from "../support/memory-file-world.ts";

const openWorld = () =>
  openMemoryFileWorld((memory, files, graph) => [
    ...memoriesTools({ memory, graph }),
    ...blockTools({ memory }),
    ...noteTools({ memory, files, project: "haft" }),
    ...chainTools(),
  ]);

/** A call of each tool that changes what is remembered. */
const changes: readonly (readonly [string, object])[] = [
  ["memory_store", { content: "Ada lives in Rome" }],
  ["memory_forget", { id: "todo" }],
  ["block", { operation: "append", label: "todo", content: "x" }],
  ["block", { operation: "replace", label: "todo", old_content: "Nothing", new_content: "x" }],
  ["block", { operation: "archive", label: "todo" }],
  ["block", { operation: "load", archival_label: "old" }],
  ["block", { operation: "swap", archive_label: "todo", load_label: "old" }],
  ["block", { operation: "share", label: "todo", agent: "other" }],
  ["recall", { operation: "insert", content: "x" }],
  ["recall", { operation: "append", label: "old", content: "x" }],
  ["recall", { operation: "delete", label: "old" }],
  ["write_note", { title: "n", content: "x" }],
  ["append_note", { title: "n", content: "x" }],
  ["edit_project_profile", { content: "x" }],
  ["memory_write", { path: "a.md", content: "x" }],
  ["memory_append", { path: "a.md", entry: "x" }],
];

test("mode plan changes nothing, by any tool, nor through a chain", async () => {
  await using world = await openWorld();
  world.answer(true);
  const admin = { permission: "admin", text: "Nothing." } as const;
  await world.put({}, { ...admin, label: "todo", tier: "working" }, { ...admin, label: "old" });
  const before = await world.all({});
  const plan = { mode: "plan" } as const;
  for (const [name, params] of changes) {
    expect(await world.call(name, params, plan), name).toMatchObject({ code: "TOOL_PERMISSION" });
    const steps = [{ id: "a", tool: name, arguments: params }];
    expect(await world.call("run_chain", { steps }, plan)).toMatchObject({ success: false });
  }
  expect(await world.all({})).toEqual(before);
  for (const [name, params] of changes) await world.call(name, params);
  expect(await world.all({})).not.toEqual(before);
});

describe("an agent", () => {
  test("takes no block out of the prompt by correcting it, where it may not delete it", async () => {
    await using world = await openWorld();
    const [core, pinned, deletable] = await world.put(
      {},
      { label: "persona", tier: "core", text: "Never send mail." },
      { label: "rules", pinned: true, text: "Never spend money." },
      { label: "plan", tier: "working", permission: "admin", text: "Ship it." },
    );
    for (const entry of [core, pinned]) {
      const correction = { content: "It is fine now.", supersedes: entry?.id };
      expect(await world.call("memory_store", correction)).toMatchObject({ code: "MEMORY_DENIED" });
    }
    expect(world.asked).toEqual([]);
    const done = await world.call("memory_store", { content: "Do not ship it.", supersedes: deletable?.id });
    expect(done).toMatchObject({ success: true });
  });

  test("takes no label by which haft knows its own again: a memory file is found all the same", async () => {
    await using world = await openWorld();
    world.byHand("facts/ada.md", "# Ada\n\nAda lives in Turin.\n");
    const { entries } = await world.followed.list("local", { kinds: ["passage"] });
    const label = entries[0]?.label ?? "";
    world.byHand("facts/ada.md", "# Ada\n\nAda lives in Rome.\n");
    await world.passages();
    expect(await world.memory.get("local", label)).toBeUndefined();
    for (const taken of [label, "file:facts/ada.md@0123456789abcdef", "observed/0123"])
      for (const [tool, params] of [
        ["recall", { operation: "insert", label: taken, content: "x" }],
        ["block", { operation: "archive", label: "mine", archival_label: taken }],
      ] as const) {
        await world.put({}, { label: "mine", tier: "working", permission: "admin" }).catch(() => {});
        expect(await world.call(tool, params)).toMatchObject({ code: "MEMORY_LABEL" });
      }
    world.byHand("facts/ada.md", "# Ada\n\nAda lives in Turin.\n");
    expect(await world.passages()).toEqual(["# Ada\n\nAda lives in Turin."]);
    const free = { operation: "insert", label: "files", content: "x" };
    expect(await world.call("recall", free)).toMatchObject({ success: true });
  });

  test("connects nothing by an entry that it may not add to", async () => {
    await using world = await openWorld();
    const text = "Ada knows Ben well";
    for (const [permission, edges] of [
      ["read_only", 0],
      ["append", 1],
    ] as const) {
      const agentId = permission;
      await world.put({ agentId }, { kind: "memory", permission, text });
      const relations = [{ source: "Ada", relation: "knows", target: "Ben" }];
      const known = await world.call("memory_store", { content: text, relations }, { agentId });
      expect(known).toMatchObject({ result: { stored: false } });
      const seen = await world.call("memory_graph", { action: "explore", query: "Ada" }, { agentId });
      expect((seen.success && (seen.result as { edges?: unknown[] }).edges?.length) || 0).toBe(edges);
    }
  });

  test("gives no entry a label that reads as another", async () => {
    await using world = await openWorld();
    for (const label of ["\u202enamuh", "human\u2028", "human\u{e0041}", "hum\nan", "a".repeat(201)]) {
      const result = await world.call("recall", { operation: "insert", label, content: "x" });
      expect(result).toMatchObject({ success: false });
    }
    for (const label of ["human", "❤️ recipes", "👩‍💻", "می‌خواهم"]) {
      const result = await world.call("recall", { operation: "insert", label, content: "x" });
      expect(result).toMatchObject({ success: true });
    }
  });
});

test("no scope is the agent of another one, however both are written", () => {
  const contexts = [
    { scope: "a" },
    { scope: "a/b" },
    { scope: "a%2Fb" },
    { scope: "a", agentId: "b" },
    { scope: "a", agentId: "b/c" },
    { scope: "a/b", agentId: "c" },
    { scope: "a", agentId: "b%2Fc" },
    { scope: "a%2Fb", agentId: "c" },
    { scope: "a", agentId: "" },
    { scope: "a/" },
  ];
  expect(new Set(contexts.map(findMemoryScope)).size).toBe(contexts.length);
  expect(findMemoryScope({ agentId: "writer" })).toBe("local/writer");
});
