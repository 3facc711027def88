import { renameSync, rmSync, truncateSync, utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { type MemoryFileWorld, openMemoryFileWorld } from "../../../../../test/support/memory-file-world.ts";
import type { MemoryStore } from "../../store/memory-store.ts";
import { blockTools } from "../blocks/index.ts";
import { MemoryFiles } from "./memory-files.ts";
import { withMemoryFiles } from "./with-memory-files.ts";

const user = "facts/user.md";

async function listEntries(world: MemoryFileWorld) {
  const { entries } = await world.followed.list("local", {
    kinds: ["passage"],
    order: "position",
    limit: 1000,
  });
  return entries;
}

const sections = (...texts: readonly string[]) =>
  texts.map((text, at) => `## Part ${at}\n\n${text}\n`).join("\n");

test("what a person writes, changes, renames and deletes is found as it is then", async () => {
  await using world = await openMemoryFileWorld();
  expect(await world.passages()).toEqual([]);
  world.byHand(user, "# User\n\nAda\n");
  expect(await world.passages()).toEqual(["# User\n\nAda"]);
  world.byHand(user, "# User\n\nBea\n");
  expect(await world.passages()).toEqual(["# User\n\nBea"]);
  renameSync(world.path(user), world.path("facts/person.md"));
  expect((await listEntries(world)).map(({ place }) => place?.session)).toEqual(["file:facts/person.md"]);
  rmSync(world.path("facts/person.md"));
  expect(await world.passages()).toEqual([]);
  rmSync(world.path("."), { recursive: true });
  expect(await world.passages()).toEqual([]);
});

test("stretches that stay the same keep their entries, in their order, whatever comes between them", async () => {
  await using world = await openMemoryFileWorld();
  world.byHand(user, "## A\n\na\n\n## B\n\nb\n\n## C\n\nc\n");
  const before = await listEntries(world);
  world.byHand(user, "## New\n\nn\n\n## A\n\na\n\n## B\n\nchanged\n\n## More\n\nm\n\n## C\n\nc\n");
  const after = await listEntries(world);
  expect(after.map(({ title }) => title)).toEqual(["New", "A", "B", "More", "C"]);
  expect(after.map(({ id }) => before.findIndex((entry) => entry.id === id))).toEqual([-1, 0, -1, -1, 2]);
  world.byHand(user, "## C\n\nc\n\n## A\n\na\n");
  expect((await listEntries(world)).map(({ title }) => title)).toEqual(["C", "A"]);
});

test("a file that nobody changed is not written again, also by another process", async () => {
  await using world = await openMemoryFileWorld();
  world.byHand(user, sections("one", "one", "two"));
  const before = await listEntries(world);
  expect(before).toHaveLength(3);
  const other = otherProcess(world);
  await Promise.all([other.sync("local"), world.files.sync("local"), other.reindex("local")]);
  expect(await listEntries(world)).toEqual(before);
});

test("two processes that read the same new files at once make each passage once", async () => {
  await using world = await openMemoryFileWorld();
  for (let at = 0; at < 10; at++) world.byHand(`facts/${at}.md`, sections(`a${at}`, `b${at}`));
  const others = [otherProcess(world), otherProcess(world), otherProcess(world)];
  await Promise.all(others.map((other) => other.sync("local")));
  expect((await world.passages()).length).toBe(20);
  rmSync(world.path("facts"), { recursive: true });
  await Promise.all(others.map((other) => other.sync("local")));
  expect(await world.passages()).toEqual([]);
});

test("processes that add to one file at once lose nothing of each other", async () => {
  await using world = await openMemoryFileWorld();
  world.byHand(user, "# User\n");
  const others = [otherProcess(world), otherProcess(world), otherProcess(world)];
  const context = { signal: new AbortController().signal, author: { by: "agent:one" } };
  const add = (files: MemoryFiles, line: string) => {
    const effects = [files.folder("local").effect("write", user)];
    return files.change("local", user, { ...context, effects }, (former = "") => `${former}${line}\n`);
  };
  await Promise.all(
    others.map(async (files, at) => {
      for (let turn = 0; turn < 5; turn++) await add(files, `${at}-${turn}`);
    }),
  );
  const [text = ""] = await world.passages();
  expect(text.split("\n").slice(1).sort()).toEqual(
    others.flatMap((_, at) => [0, 1, 2, 3, 4].map((turn) => `${at}-${turn}`)),
  );
});

test("a process that died after it kept the former text and before it replaced it keeps nobody waiting", async () => {
  await using world = await openMemoryFileWorld();
  world.byHand(user, "one\n");
  const dying: MemoryStore = {
    ...withMemoryFiles(world.memory, { sync: async () => [] }),
    async edit(scope, edits, author) {
      await world.memory.edit(scope, edits, author);
      throw new Error("killed");
    },
  };
  const dead = new MemoryFiles({ ...world.filesOptions, store: dying });
  const effects = [dead.folder("local").effect("write", user)];
  const context = { effects, signal: new AbortController().signal, author: { by: "agent:dead" } };
  await expect(dead.change("local", user, context, () => "two\n")).rejects.toThrow("killed");
  expect(await world.call("memory_read", { path: user })).toMatchObject({ result: "one\n" });
  expect(await world.call("memory_write", { path: user, content: "three\n" })).toMatchObject({
    success: true,
  });
  expect(await world.call("memory_read", { path: user, former: 1 })).toMatchObject({ result: "one\n" });
});

test("a change of the same size within the same time is seen", async () => {
  await using world = await openMemoryFileWorld();
  const time = new Date();
  for (const text of ["aaa", "bbb", "ccc"]) {
    world.byHand(user, text);
    utimesSync(world.path(user), time, time);
    expect(await world.passages()).toEqual([text]);
  }
});

test("swap files, backups, hidden folders and what is not Markdown are ignored", async () => {
  await using world = await openMemoryFileWorld();
  for (const name of [
    "facts/.user.md.swp",
    "facts/.#user.md",
    "facts/#user.md#",
    "facts/user.md~",
    "facts/4913",
    "facts/.haft-0011.tmp",
    ".git/HEAD.md",
    ".obsidian/workspace.md",
    "facts/user.txt",
    "facts/user.md.bak",
  ])
    world.byHand(name, "not this");
  world.byHand(user, "this");
  expect(await world.passages()).toEqual(["this"]);
  expect(await world.call("memory_list", {})).toMatchObject({ result: [{ path: user }] });
});

test("files in other encodings and with a byte order mark are read; bytes that are no text are told of", async () => {
  await using world = await openMemoryFileWorld();
  world.byHand("facts/bom.md", "\ufeff# Bom\r\n\r\n> Summary: with a mark\r\n\r\ntext\r\n");
  world.byHand("facts/latin.md", Buffer.from("caf\u00e9", "latin1"));
  world.byHand("facts/wide.md", Buffer.from("\ufeffwide \u20ac", "utf16le"));
  world.byHand("facts/zero.md", Buffer.from([1, 0, 2, 0, 0]));
  world.byHand("facts/empty.md", "");
  expect(await world.passages()).toEqual(["# Bom\n\ntext", "caf\u00e9", "wide \u20ac"].toSorted());
  expect(await world.call("memory_list", {})).toMatchObject({
    result: [
      { path: "facts/bom.md", summary: "with a mark" },
      { path: "facts/empty.md", summary: "", size: 0 },
      { path: "facts/latin.md" },
      { path: "facts/wide.md" },
      { path: "facts/zero.md", problem: expect.stringContaining("FILE_BINARY") },
    ],
  });
  await world.call("memory_append", { path: "facts/latin.md", entry: "\u00e0 la carte" });
  expect(await world.call("memory_read", { path: "facts/latin.md" })).toMatchObject({
    result: "caf\u00e9\n\u00e0 la carte\n",
  });
});

test("a file that is half written is found as far as it is, and whole at the next look", async () => {
  await using world = await openMemoryFileWorld();
  const whole = sections("one", "two");
  world.byHand(user, whole);
  const before = await listEntries(world);
  truncateSync(world.path(user), 0);
  expect(await world.passages()).toEqual([]);
  world.byHand(user, whole.slice(0, 15));
  expect((await world.passages()).length).toBe(1);
  world.byHand(user, whole);
  expect((await listEntries(world)).map(({ text }) => text)).toEqual(before.map(({ text }) => text));
});

test("a huge file is told of, costs nothing else, and is found again once it is smaller", async () => {
  await using world = await openMemoryFileWorld();
  world.byHand(user, "Ada");
  world.byHand("facts/huge.md", "x".repeat(3_000_000));
  expect(await world.passages()).toEqual(["Ada"]);
  expect(await world.call("memory_list", {})).toMatchObject({
    result: [
      { path: "facts/huge.md", problem: expect.stringContaining("MEMORY_FILE_LIMIT") },
      { path: user },
    ],
  });
  world.byHand("facts/huge.md", "smaller");
  expect(await world.passages()).toEqual(["smaller", "Ada"]);
});

test("an episode that is named after its day is of that day; front matter gives names and tags", async () => {
  await using world = await openMemoryFileWorld();
  world.byHand(
    "episodes/2026-05-04-move.md",
    "---\ntitle: The move\naliases: [Umzug, relocation]\ntags:\n  - home\n  - '#vienna'\n---\nWe moved.\n",
  );
  expect(await listEntries(world)).toMatchObject([
    {
      text: "We moved.",
      title: "The move",
      names: ["Umzug", "relocation"],
      tags: ["home", "vienna"],
      at: Date.parse("2026-05-04T12:00:00Z"),
      permission: "read_only",
      tier: "archival",
      author: { by: "file:episodes/2026-05-04-move.md" },
    },
  ]);
});

test("a memory folder that can't be listed costs its files, not the search", async () => {
  await using world = await openMemoryFileWorld();
  await world.put({}, { text: "something else about Ada" });
  world.byHand("../x/y", "");
  rmSync(world.path("."), { recursive: true, force: true });
  world.byHand("../local", "a file in the folder's place");
  expect(await world.passages()).toEqual([]);
  const { hits } = await world.followed.search("local", { query: "Ada" });
  expect(hits.map(({ entry }) => entry.text)).toEqual(["something else about Ada"]);
});

test("the search finds a stretch of a file by its words, its heading and the summary of its file", async () => {
  await using world = await openMemoryFileWorld();
  world.byHand(
    user,
    "# Ada\n\n> Summary: mathematician in residence\n\nintro\n\n## Breakfast\n\nporridge with salt\n",
  );
  for (const [query, text] of [
    ["what is there with salt", "porridge"],
    ["breakfast", "porridge"],
    ["mathematician", "intro"],
  ] as const) {
    const { hits } = await world.followed.search("local", { query, limit: 1 });
    expect(hits[0]?.entry.text).toContain(text);
  }
});

test("a stretch of a file can be read by the tools of blocks, and only the file changes it", async () => {
  await using world = await openMemoryFileWorld((memory) => blockTools({ memory }));
  world.byHand(user, "Ada\n");
  const [{ label, id } = { label: "", id: "" }] = await listEntries(world);
  expect(await world.call("recall", { operation: "read", label })).toMatchObject({ result: { text: "Ada" } });
  for (const params of [
    { operation: "append", label, content: "two" },
    { operation: "replace", label, old_content: "Ada", new_content: "two" },
  ])
    expect(await world.call("block", params)).toMatchObject({ success: false });
  for (const key of [label, id])
    expect(await world.call("recall", { operation: "append", label: key, content: "two" })).toMatchObject({
      code: "MEMORY_DENIED",
    });
  expect(await world.passages()).toEqual(["Ada"]);
});

/** The files as another process has them: it knows what is in the store and nothing else. */
function otherProcess(world: MemoryFileWorld): MemoryFiles {
  return new MemoryFiles(world.filesOptions);
}
