import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";

const config = "tools: { search: { embedder: none } }";

test("an installation opens nothing for its packs, and its store at the first search", async () => {
  const installation = new Installation();
  const { app } = await installation.open(config);
  const database = join(installation.home.folder, "haft.db");
  const packs = app.packs.list(app.executor.toolset(app.context));
  expect(packs.find(({ name }) => name === "data")?.tools).toContain("json_parse");
  expect(existsSync(database)).toBe(false);
  const { found } = await (await app.search()).search("decode base64 text");
  expect(found[0]?.tool.name).toBe("base64_decode");
  expect(existsSync(database)).toBe(true);
});

test("a call that comes off teaches the search what it was searched for, unless a stranger made it", async () => {
  const opened = await new Installation().open(config);
  const { app } = opened;
  const learnt = async () => {
    const { toolUsage } = await app.store();
    return (await toolUsage.list("local")).map(({ toolName, goal }) => [toolName, goal]);
  };
  const goal = "turn the letters back into what they were before base64";
  expect(await opened.call("search_tools", { goal })).toMatchObject({ success: true });
  const parse = { name: "base64_decode", arguments: { encoded: "aGFmdA==" } };
  await opened.call("call_tool", parse, { trust: "untrusted" });
  await opened.call("call_tool", { name: "base64_decode", arguments: {} });
  await opened.call("json_parse", { text: "1" });
  expect(await learnt()).toEqual([]);
  expect(await opened.call("call_tool", parse)).toMatchObject({ success: true });
  await expect.poll(learnt).toEqual([["base64_decode", goal]]);
});

test("a search that could not be opened is opened by the next", async () => {
  const installation = new Installation();
  const database = join(installation.home.folder, "haft.db");
  mkdirSync(database, { recursive: true });
  const { app } = await installation.open(config);
  await expect(app.search()).rejects.toThrow();
  rmdirSync(database);
  await expect(app.search()).resolves.toBeDefined();
});

test("projects that share a store keep a search index each", async () => {
  const installation = new Installation();
  const other = join(installation.root, "other");
  mkdirSync(other);
  const folders = [installation.folder, other];
  for (const folder of folders) {
    const { app } = await installation.open(config, { folder });
    await (await app.search()).search("decode base64 text");
    await app.close();
  }
  const database = new DatabaseSync(join(installation.home.folder, "haft.db"), { readOnly: true });
  const kept = database.prepare("select form from search_index order by saved_at").all();
  database.close();
  expect(kept.map(({ form }) => String(form).replace(/^tool-words-\d+ /, ""))).toEqual(folders);
});
