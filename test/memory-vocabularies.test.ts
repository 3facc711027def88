import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Approver, CallContext, ToolResult } from "../src/kernel/index.ts";
import { memoryModule } from "../src/modules/memory/module.ts";
import { agreeing, Installation, type OpenInstallation } from "./support/installation.ts";

const config =
  "memory: { vocabularies: [memories, blocks, files, notes], project: web }\ntools: { search: { embedder: none } }";

/** One fact by each vocabulary, and one by hand in a file. */
async function remember({ app, call }: Caller): Promise<void> {
  await done(call("memory_store", { content: "The landlord's name is Quentin" }));
  await done(call("recall", { operation: "insert", label: "rent", content: "The rent is 800 ducats" }));
  await done(call("write_note", { title: "Heating", content: "The heating hums in D minor" }));
  await done(call("edit_project_profile", { content: "A web of spiders" }));
  await done(
    call("memory_write", { path: "facts/cellar.md", content: "# Cellar\n\nThe cellar smells of quinces\n" }),
  );
  const folder = join(app.memory.folder, "local", "episodes");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "2026-05-01-flood.md"), "# Flood\n\nThe flood took the piano\n");
}

interface Caller {
  readonly app: OpenInstallation["app"];
  readonly call: (tool: string, params: object, context?: CallContext) => Promise<ToolResult>;
}

async function open(approver: Approver = agreeing()): Promise<Caller> {
  const place = await new Installation().open(config, { approver });
  return { app: place.app, call: (tool, params, context) => place.call(tool, params, context) };
}

async function done(result: Promise<ToolResult>): Promise<string> {
  const ended = await result;
  expect(ended).toMatchObject({ success: true });
  return JSON.stringify(ended.success ? ended.result : ended);
}

const facts = [
  { by: "memory_store", query: "Who is the landlord?", says: "Quentin" },
  { by: "recall insert", query: "How much is the rent?", says: "800 ducats" },
  { by: "write_note", query: "What does the heating do?", says: "D minor" },
  { by: "memory_write", query: "What does the cellar smell of?", says: "quinces" },
  { by: "an editor", query: "What did the flood take?", says: "piano" },
];

const finders = [
  { tool: "memory_recall", params: (query: string) => ({ query }) },
  { tool: "search", params: (query: string) => ({ domain: "all", query }) },
  { tool: "semantic_search", params: (query: string) => ({ query }) },
  { tool: "memory_search", params: (query: string) => ({ query }) },
];

describe("what one vocabulary writes, the others find", () => {
  test.for(finders)("with $tool", async ({ tool, params }) => {
    const caller = await open();
    await remember(caller);
    for (const { query, says } of facts) expect(await done(caller.call(tool, params(query)))).toContain(says);
  });

  test("and another agent finds none of it", async () => {
    const caller = await open();
    await remember(caller);
    for (const { tool, params } of finders)
      for (const { query, says } of facts)
        expect(await done(caller.call(tool, params(query), { agentId: "other" }))).not.toContain(says);
    for (const tool of ["memory_list", "list_notes", "memory_stats"])
      expect(await done(caller.call(tool, {}, { agentId: "other" }))).not.toMatch(
        /cellar|Heating|[1-9] entr/,
      );
  });
});

test("an entry is read, changed and forgotten by its id or label, whichever vocabulary made it", async () => {
  const { call } = await open();
  const stored = await done(call("memory_store", { content: "The lamp is green" }));
  const [id = ""] = stored.match(/m_[0-9a-z]+/) ?? [];
  expect(await done(call("recall", { operation: "read", label: id }))).toContain("The lamp is green");
  await done(call("write_note", { title: "Lamp", content: "Bought in May" }));
  const note = await done(call("recall", { operation: "read", label: "notes/web/lamp" }));
  expect(note).toContain("Bought in May");
  await done(call("recall", { operation: "append", label: "notes/web/lamp", content: "Broken in June" }));
  expect(await done(call("read_note", { title: "Lamp" }))).toContain("Broken in June");
  await done(call("memory_forget", { id }));
  expect(await done(call("search", { domain: "all", query: "What colour is the lamp?" }))).not.toContain(
    "green",
  );
});

test("an approval of a block says whose it is and where the call came from", async () => {
  const ada = agreeing();
  const { app, call } = await open(ada);
  const { store } = await app.memory.filed();
  const human = { kind: "block", label: "human", tier: "core", permission: "human", text: "Ada" } as const;
  await store.edit("local", [{ do: "create_block", entry: human }], { by: "owner:ada" });
  const origin = { channel: "discord", id: "message 7" };
  const append = { operation: "append", label: "human", content: "Prefers morning meetings" };
  await done(call("block", append, { origin }));
  expect(ada.asked).toMatchObject([{ toolName: "block", origin, effects: [{ target: "memory:human" }] }]);
  expect((await store.get("local", "human"))?.text).toBe("Ada\nPrefers morning meetings");
});

test("every vocabulary is tried with every permission", () => {
  const tried = globSync("src/modules/memory/tools/*/acl.test.ts").flatMap(
    (file) => /testAcl\(\s*"(\w+)"/.exec(readFileSync(file, "utf8"))?.[1] ?? [],
  );
  expect(tried.sort()).toEqual(Object.keys(memoryModule.families ?? {}).sort());
});
