import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type CallContext, defineTool } from "../../src/kernel/index.ts";
import { Memory, type MemoryPermission, memoryPermissions } from "../../src/modules/memory/index.ts";
import { Installation } from "../support/installation.ts";
import { answering } from "../support/questions.ts";

// The form of a system whose agents keep blocks in sight, an archive to recall from, and one search over both.

async function openBlocks(says = true) {
  const approver = answering({ approved: says, by: "ada" }, "ada");
  const { app } = await new Installation().open(
    "tools: { search: { embedder: none } }\nmemory: { vocabularies: [blocks] }",
    { approver },
  );
  const call = (tool: string, params: object, context: CallContext = {}) =>
    app.executor.execute(tool, params, { ...app.context, agentId: "pal", ...context });
  const result = async (tool: string, params: object) => {
    const came = await call(tool, params);
    expect(came, came.text).toMatchObject({ success: true });
    return (came.success ? came.result : {}) as Record<string, unknown>;
  };
  const { memory: store } = await app.store();
  const owner = new Memory(store, { scope: "local/pal", author: { by: "owner:ada" }, owner: true });
  const readText = async (label: string) => (await owner.getBlock(label)).text;
  return { app, asked: approver.asked, call, owner, result, readText };
}

test("append adds a line to a block, and makes the blocks that every agent may count on", async () => {
  const { result, readText, owner } = await openBlocks();
  expect(
    await result("block", { operation: "append", label: "human", content: "Gets up early" }),
  ).toMatchObject({ created: true, block: { label: "human", tier: "core" } });
  await result("block", { operation: "append", label: "human", content: "Likes lists" });
  expect(await readText("human")).toBe("Gets up early\nLikes lists");
  // A label that comes near is no reason to refuse these.
  await result("block", { operation: "append", label: "scratch_pad", content: "x" });
  for (const [label, tier] of [
    ["persona", "core"],
    ["scratch", "core"],
  ] as const) {
    await result("block", { operation: "append", label, content: "One line" });
    expect(await owner.getBlock(label)).toMatchObject({ tier, title: expect.any(String) });
  }
});

test("the tool answers by its other name too, and is listed once", async () => {
  const { app, result, readText, call } = await openBlocks();
  await result("context", { operation: "append", label: "persona", content: "Patient" });
  expect(await readText("persona")).toBe("Patient");
  expect(app.registry.list().map(({ name }) => name)).not.toContain("context");
  await result("call_tool", {
    name: "context",
    arguments: { operation: "append", label: "persona", content: "Kind" },
  });
  const params = { operation: "append", label: "persona", content: "x" };
  expect(await call("context", params, { blockedTools: ["block"] })).toMatchObject({
    code: "TOOL_NOT_CALLABLE",
    toolName: "block",
  });
});

test("replace, archive, load and swap", async () => {
  const { result, readText, owner } = await openBlocks();
  await result("block", { operation: "append", label: "likes", content: "Tea with milk" });
  const replace = { operation: "replace", label: "likes", old_content: "milk", new_content: "lemon" };
  expect(await result("block", replace)).toMatchObject({ replaced: 1 });
  expect(await readText("likes")).toBe("Tea with lemon");
  await result("block", { operation: "append", label: "old_work", content: "Paint the fence" });
  await result("recall", { operation: "insert", label: "new_work", content: "Mend the roof" });
  const swap = { operation: "swap", archive_label: "old_work", load_label: "new_work" };
  expect(await result("block", swap)).toMatchObject({ archived: { label: "old_work", tier: "archival" } });
  expect(await result("block", { operation: "load", archival_label: "old_work" })).toMatchObject({
    block: { label: "old_work", tier: "working" },
  });
  await owner.setBlockPermission("likes", "admin");
  expect(await result("block", { operation: "archive", label: "likes" })).toMatchObject({
    archived: "likes",
  });
});

test("recall keeps, adds to, reads and deletes; search finds, and says that no conversation was recorded", async () => {
  const { call, owner, result } = await openBlocks();
  const label = "meeting_2031_02";
  await result("recall", { operation: "insert", label, content: "Spoke of the bridge's deadline" });
  await result("recall", { operation: "append", label, content: "And of its colour" });
  expect(await result("recall", { operation: "read", label })).toMatchObject({
    text: "Spoke of the bridge's deadline\nAnd of its colour",
  });
  for (const domain of ["archival_memory", "all"])
    expect(await result("search", { domain, query: "bridge deadline", limit: 10 })).toMatchObject({
      results: [{ label }],
    });
  expect(await result("search", { domain: "conversations", query: "bridge", limit: 10 })).toMatchObject({
    results: [],
    note: expect.stringContaining("No conversation has been recorded"),
  });
  expect(await call("recall", { operation: "delete", label })).toMatchObject({ code: "MEMORY_DENIED" });
  await owner.setBlockPermission(label, "admin");
  expect(await result("recall", { operation: "delete", label })).toMatchObject({ deleted: { label } });
});

/** What becomes of appending, replacing and archiving: done, done after a question, refused. */
const rights: Readonly<Record<MemoryPermission, readonly [string, string, string]>> = {
  read_only: ["denied", "denied", "denied"],
  partner: ["asked", "asked", "denied"],
  human: ["asked", "asked", "denied"],
  append: ["done", "denied", "denied"],
  read_write: ["done", "done", "denied"],
  admin: ["done", "done", "done"],
};

describe("a block's permission says what becomes of a change", () => {
  test.for(memoryPermissions)("%s", async (permission) => {
    const { asked, call, owner, readText } = await openBlocks();
    await owner.createBlock({ kind: "block", tier: "core", label: "rules", text: "Be kind", permission });
    const changes = [
      { operation: "append", label: "rules", content: "Be brief" },
      { operation: "replace", label: "rules", old_content: "kind", new_content: "fair" },
      { operation: "archive", label: "rules" },
    ];
    const outcomes: string[] = [];
    for (const change of changes) {
      const before = asked.length;
      const { success } = await call("block", change, { origin: { channel: "discord", id: "m-1" } });
      outcomes.push(success ? (asked.length > before ? "asked" : "done") : "denied");
    }
    expect(outcomes).toEqual(rights[permission]);
    for (const question of asked) expect(question.origin).toMatchObject({ channel: "discord" });
    if (permission !== "admin") expect(await readText("rules")).toContain("Be"); // Reading is always allowed.
  });
});

test("a typed tool of one's own stands beside them in the registry, and may take the place of none", async () => {
  const { app } = await openBlocks();
  const weather = defineTool({
    name: "get_weather",
    description: "Get the weather of a place",
    parameters: z.object({ place: z.string() }),
    output: z.object({ degrees: z.number() }),
    annotations: { readOnly: true, openWorld: false },
    execute: ({ place }) => ({ degrees: place.length }),
  });
  app.registry.register(weather);
  expect(await app.executor.execute("get_weather", { place: "Oslo" })).toMatchObject({
    success: true,
    result: { degrees: 4 },
  });
  expect(() => app.registry.register({ ...weather, name: "block" })).toThrow(/block/);
});

test("the names of its store are there for a program: create, get, list, update, append, search, persist", async () => {
  const { owner } = await openBlocks();
  await owner.createBlock({ kind: "block", tier: "core", label: "garden", text: "Roses" });
  await owner.appendToBlock("garden", "Beans");
  await owner.updateBlockText("garden", "Roses\nBeans\nKale");
  expect((await owner.getBlock("garden")).text).toContain("Kale");
  const { entries } = await owner.listBlocks({});
  expect(entries.map(({ label }) => label)).toEqual(["garden"]);
  expect((await owner.searchBlocks({ query: "kale" })).hits).toMatchObject([{ entry: { label: "garden" } }]);
  await owner.persistBlock("garden");
});
