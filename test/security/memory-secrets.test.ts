import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Installation } from "../support/installation.ts";

const canary = "canary-5c1f2e7d9b";
const every =
  "memory: { vocabularies: [memories, blocks, files, notes] }\ntools: { search: { embedder: none } }\n";

/** Everything below a folder, as bytes. */
function bytesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}

test("a stored secret is kept by no tool of memory, in no text, fact, file, former text or row", async () => {
  const place = new Installation();
  const haft = await place.open(every);
  await haft.app.secrets.set("local", "TOKEN", canary);
  const before = bytesBelow(place.home.folder).split(canary).length;
  const said = `the token is ${canary}, he said`;
  const calls: readonly (readonly [string, object])[] = [
    [
      "memory_store",
      {
        content: said,
        tags: [canary],
        names: [canary],
        relations: [{ source: "he", relation: `has ${canary}`, target: canary }],
      },
    ],
    ["write_note", { title: "t", content: said }],
    ["append_note", { title: "t", content: said }],
    ["edit_project_profile", { content: said }],
    ["recall", { operation: "insert", label: "a", content: said }],
    ["recall", { operation: "append", label: "a", content: said }],
    ["memory_write", { path: "a.md", content: `# A\n\n${said}\n` }],
    ["memory_append", { path: "a.md", entry: said, summary: canary }],
    ["memory_patch", { path: "a.md", old_str: "# A", new_str: `# ${canary}` }],
    ["memory_write", { path: "b.md", content: said }],
    ["memory_write", { path: "b.md", content: "nothing" }],
    ["memory_recall", { query: said }],
  ];
  for (const [tool, params] of calls) {
    const result = await haft.call(tool, params);
    expect(result.success, `${tool}: ${result.text}`).toBe(true);
    expect(result.text).not.toContain(canary);
  }
  const store = await haft.app.store();
  const [entry] = (await store.memory.list("local", { kinds: ["memory"] })).entries;
  const entryId = entry?.id as string;
  await store.graph.add("local", [{ entryId, nodes: [{ name: "he", type: canary, aliases: [canary] }] }]);
  await haft.app.close();
  expect(bytesBelow(place.home.folder).split(canary).length).toBe(before);
  expect(bytesBelow(place.home.folder)).toContain("he said");
});
