import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ToolInteraction } from "../../src/kernel/index.ts";
import { Installation } from "../support/installation.ts";

// The form of a system that shows a model a few core tools, and loads the others by category in an interaction.

async function openQueue() {
  const installation = new Installation();
  writeFileSync(join(installation.folder, "a.txt"), "one\ntwo\nthree\nfour\n");
  const { app } = await installation.open("tools: { profile: queue, search: { embedder: none } }");
  const begin = (core: readonly string[] = ["browse_tools", "load_tools", "memory_search"]) =>
    new ToolInteraction({ toolset: () => app.executor.toolset(app.context), core });
  const interaction = begin();
  const call = (tool: string, params: object = {}) => {
    const { limits } = interaction;
    return app.executor.execute(tool, params, { ...app.context, interaction, limits });
  };
  const result = async (tool: string, params?: object) => {
    const came = await call(tool, params);
    expect(came).toMatchObject({ success: true });
    return (came.success ? came.result : {}) as Record<string, unknown>;
  };
  const names = () => interaction.shown.map(({ name }) => name);
  return { app, begin, call, interaction, names, result };
}

test("browse_tools lists categories with what they are for and how many tools they have", async () => {
  const { result } = await openQueue();
  const { categories } = (await result("browse_tools")) as { categories: Record<string, unknown>[] };
  expect(categories).toEqual(
    expect.arrayContaining([
      { name: "files", description: expect.any(String), tool_count: 9 },
      { name: "memory", description: expect.any(String), tool_count: 14 },
      { name: "system", description: expect.any(String), tool_count: expect.any(Number) },
    ]),
  );
  for (const category of categories)
    expect(Object.keys(category).toSorted()).toEqual(["description", "name", "tool_count"]);
});

test("load_tools shows a category's tools from the next request on, once, and not in another interaction", async () => {
  const { begin, names, result } = await openQueue();
  expect(names()).toEqual(["browse_tools", "load_tools", "memory_search"]);
  const loaded = await result("load_tools", { category: "data" });
  expect(loaded).toMatchObject({
    loaded: "data",
    tools_added: ["json_parse", "json_stringify", "base64_encode", "base64_decode"],
    message: expect.stringContaining("4 data tools"),
  });
  expect(JSON.stringify(loaded)).not.toContain("properties");
  const after = names();
  expect(after).toContain("json_parse");
  expect(await result("load_tools", { category: "data" })).toMatchObject({ tools_added: [] });
  expect(names()).toEqual(after);
  expect(begin().shown.map(({ name }) => name)).not.toContain("json_parse");
});

test("a tool that was not loaded runs all the same, and an unknown category names those that there are", async () => {
  const { call, result } = await openQueue();
  expect(await result("json_parse", { text: "[1]" })).toEqual({ data: [1] });
  expect(await call("load_tools", { category: "weather" })).toMatchObject({
    success: false,
    error: expect.stringContaining('"files"'),
  });
});

test("a category's tools belong to it alone, and the core stays whatever is loaded", async () => {
  const { app, names, result } = await openQueue();
  const packs = app.registry.list().map(({ name }) => name);
  expect(new Set(packs).size).toBe(packs.length);
  for (const category of ["files", "memory", "system"]) await result("load_tools", { category });
  expect(names().slice(0, 3)).toEqual(["browse_tools", "load_tools", "memory_search"]);
});

describe("its file and memory tools take its calls", () => {
  test("read_file counts lines from 1, and stops at the smaller of limit and max_lines", async () => {
    const { call, result } = await openQueue();
    const read = (params: object) => result("read_file", { path: "a.txt", ...params });
    expect(await read({})).toMatchObject({ content: "one\ntwo\nthree\nfour\n", totalLines: 4 });
    expect(await read({ offset: 1, limit: 1 })).toMatchObject({ content: "one\n", nextOffset: 2 });
    expect(await read({ offset: 2, limit: 1 })).toMatchObject({ content: "two\n", nextOffset: 3 });
    expect(await read({ offset: 3, max_lines: 2000 })).toEqual({
      content: "three\nfour\n",
      size: 19,
      totalLines: 4,
    });
    expect(await read({ limit: 3, max_lines: 2 })).toMatchObject({ content: "one\ntwo\n" });
    expect(await call("read_file", { path: "a.txt", offset: 0 })).toMatchObject({
      code: "TOOL_VALIDATION",
    });
  });

  test("write_file and edit_file", async () => {
    const { result } = await openQueue();
    await result("write_file", { path: "b.txt", content: "x y x\n" });
    const edit = { path: "b.txt", old_string: "x", new_string: "z", replace_all: true };
    expect(await result("edit_file", edit)).toMatchObject({ applied: 1 });
    expect(await result("read_file", { path: "b.txt" })).toMatchObject({ content: "z y z\n" });
  });

  test("notes, the profile of a project, and the search over both", async () => {
    const { result } = await openQueue();
    const project_id = "shop";
    await result("write_note", { project_id, title: "Prices", content: "Apples cost two crowns" });
    await result("append_note", { project_id, title: "Prices", content: "Pears cost three" });
    expect(await result("list_notes", { project_id })).toMatchObject({ notes: [{ title: "Prices" }] });
    expect(await result("read_note", { project_id, title: "Prices" })).toMatchObject({
      content: "Apples cost two crowns\n\nPears cost three",
    });
    expect(await result("memory_search", { project_id, query: "pears", top_k: 3 })).toMatchObject({
      results: [{ title: "Prices" }],
    });
    await result("edit_project_profile", { project_id, content: "A shop for fruit" });
    expect(await result("view_profile", { project_id })).toMatchObject({ profile: "A shop for fruit" });
    await result("memory_stats", { project_id });
    await result("delete_note", { project_id, title: "Prices" });
  });
});
