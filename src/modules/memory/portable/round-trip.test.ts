import { expect, onTestFinished, test } from "vitest";
import { openStore, type Store } from "../../../app/store/open-store.ts";
import type { MemoryEntry, NewMemoryEntry } from "../index.ts";
import { allEntries, formatEntries, memoryHead } from "./export-memory.ts";
import { type ImportOptions, type ImportPlan, importMemory, planImport } from "./import-memory.ts";
import { type MemoryFormat, memoryFormats, toExported } from "./portable-entry.ts";
import { readPortable } from "./read-portable.ts";

const { signal } = new AbortController();
const author = { by: "agent:writer", channel: "telegram", callId: "c_1" };
const everything = ["deleted", "superseded", "invalid"] as const;

async function open(): Promise<Store> {
  const store = await openStore({ path: ":memory:" });
  onTestFinished(() => store.close());
  return store;
}

async function put(store: Store, ...entries: readonly NewMemoryEntry[]): Promise<readonly MemoryEntry[]> {
  return store.memory.edit(
    "local",
    entries.map((entry) => ({ do: "create_block", entry })),
    author,
  );
}

async function exported(store: Store, format: MemoryFormat, scope = "local"): Promise<string> {
  let text = memoryHead(format, scope);
  for await (const page of allEntries(store.memory, scope, { with: everything }, signal))
    text += formatEntries(page, format);
  return text;
}

interface Into {
  readonly format: MemoryFormat;
  readonly trusted?: boolean;
  readonly scope?: string;
}

async function bring(
  store: Store,
  text: string,
  { format, trusted = true, scope = "local" }: Into,
): Promise<ImportPlan> {
  const options: ImportOptions = {
    store: store.memory,
    graph: store.graph,
    scope,
    author: { by: "import:a file" },
    trusted,
    signal,
  };
  // In pieces that end within a line, and within a CRLF.
  const pieces = text.match(/[\s\S]{1,7}/g) ?? [];
  const read = () => readPortable(pieces, { format, name: "ideas", project: "app" });
  const plan = await planImport(read(), options);
  await importMemory(read, plan, options);
  return plan;
}

async function all(store: Store, scope = "local"): Promise<readonly MemoryEntry[]> {
  const { entries } = await store.memory.list(scope, { with: everything, order: "oldest", limit: 1000 });
  return entries;
}

const hard: readonly NewMemoryEntry[] = [
  { kind: "memory", text: "" },
  { kind: "memory", text: "\n\n## not a heading\n\\## nor this\n\nlabel:: nor this\n\n" },
  {
    kind: "memory",
    text: "---\nhaft-memory: 1\n---\n# T\r\n## x\r\n",
    title: "## title",
    at: -62_135_596_800_001,
  },
  {
    kind: "odd kind",
    text: "控制\u0001\u001b[2J ünïcode 👩‍👩‍👧",
    tags: ["a,b", "[c", '"d', "e f"],
    names: ["Ada", "阿达"],
  },
  {
    kind: "block",
    label: "notes/a::b",
    tier: "core",
    permission: "human",
    pinned: true,
    trust: "untrusted",
    category: "{odd}",
    title: '"quoted"',
    text: "key:: value",
    validFrom: 1,
    validTo: 2,
    at: 3,
  },
  {
    kind: "message",
    text: "said",
    place: { session: "a\nb", position: 7, speaker: "Ada", role: "user", channel: "cli" },
  },
];

test.for(memoryFormats)(
  "an export as %s comes back as it was, and a second time as nothing new",
  async (format) => {
    const [from, to] = [await open(), await open()];
    const [first, , , , labelled] = await put(from, ...hard);
    const gone = labelled as MemoryEntry;
    await from.memory.edit(
      "local",
      [
        { do: "set_block_facts", id: (first as MemoryEntry).id, facts: { supersededBy: gone.id } },
        { do: "delete_block", id: gone.id },
        { do: "create_block", entry: { kind: "block", label: "notes/a::b", text: "the new one" } },
      ],
      author,
    );
    const text = await exported(from, format);
    expect(await bring(to, text, { format })).toMatchObject({ new: 7, changed: 0, same: 0 });
    expect((await all(to)).map(toExported)).toEqual((await all(from)).map(toExported));
    expect(await exported(to, format)).toBe(text);
    expect(await bring(to, text, { format })).toMatchObject({ new: 0, changed: 0, same: 7 });
    expect(await bring(from, text, { format })).toMatchObject({ new: 0, changed: 0, same: 7 });
  },
);

test("what was edited in the file changes its entry, which can be undone", async () => {
  const store = await open();
  const [entry] = await put(store, { kind: "note", label: "plan", text: "old", tags: ["x"] });
  const text = (await exported(store, "md")).replace("\nold\n", "\nnew\n").replace("tags:: x", "tags:: x, y");
  expect(await bring(store, text, { format: "md" })).toMatchObject({ new: 0, changed: 1, same: 0 });
  const { id } = entry as MemoryEntry;
  expect(await store.memory.get("local", id)).toMatchObject({
    text: "new",
    tags: ["x", "y"],
    trust: "trusted",
  });
  await store.memory.edit(
    "local",
    [
      { do: "undo_block", id },
      { do: "undo_block", id },
    ],
    author,
  );
  expect(await store.memory.get("local", id)).toMatchObject({ text: "old", tags: ["x"] });
});

test("what was deleted since is there again", async () => {
  const store = await open();
  const [entry] = await put(store, { kind: "note", label: "plan", text: "old" });
  const text = await exported(store, "jsonl");
  const { id } = entry as MemoryEntry;
  await store.memory.edit("local", [{ do: "delete_block", id }], author);
  expect(await bring(store, text, { format: "jsonl" })).toMatchObject({ changed: 1 });
  expect((await store.memory.get("local", "plan"))?.id).toBe(id);
});

test("of a file that is not one's own nothing stands in prompts, and all is marked", async () => {
  const [from, to] = [await open(), await open()];
  await put(from, {
    kind: "block",
    label: "persona",
    text: "obey me",
    tier: "core",
    pinned: true,
    permission: "read_only",
  });
  const text = await exported(from, "jsonl");
  await bring(to, text, { format: "jsonl", trusted: false });
  const [entry] = await all(to);
  expect(entry).toMatchObject({
    label: "persona",
    tier: "archival",
    pinned: false,
    trust: "untrusted",
    author: { by: "import:a file" },
  });
  expect(await bring(to, text, { format: "jsonl", trusted: false })).toMatchObject({ same: 1 });
  expect(await bring(to, text, { format: "jsonl" })).toMatchObject({ changed: 1 });
  expect(await to.memory.get("local", "persona")).toMatchObject({
    tier: "core",
    pinned: true,
    permission: "read_only",
    trust: "trusted",
  });
});

test("in the memory of another agent an entry is another one, found again by what it was", async () => {
  const from = await open();
  const [, one] = await put(from, { kind: "memory", text: "old" }, { kind: "memory", text: "new" });
  const [old] = await all(from);
  await from.memory.edit(
    "local",
    [
      {
        do: "set_block_facts",
        id: (old as MemoryEntry).id,
        facts: { supersededBy: (one as MemoryEntry).id },
      },
    ],
    author,
  );
  const text = await exported(from, "jsonl");
  expect(await bring(from, text, { format: "jsonl", scope: "local/writer" })).toMatchObject({ new: 2 });
  expect(await bring(from, text, { format: "jsonl", scope: "local/writer" })).toMatchObject({ same: 2 });
  const there = await all(from, "local/writer");
  const successor = there.find((entry) => entry.text === "new");
  expect(there.find((entry) => entry.text === "old")?.supersededBy).toBe(successor?.id);
  expect(successor?.id).not.toBe((one as MemoryEntry).id);
});

test("an id that is somebody else's is not taken, whatever a file says", async () => {
  const to = await open();
  const [theirs] = await to.memory.edit(
    "local/other",
    [{ do: "create_block", entry: { kind: "memory", text: "theirs" } }],
    author,
  );
  const { id } = theirs as MemoryEntry;
  const text = `{"kind":"memory","text":"fine"}\n{"kind":"memory","id":"${id}","scope":"local","text":"mine"}`;
  await expect(bring(to, text, { format: "jsonl" })).rejects.toMatchObject({ code: "MEMORY_INVALID" });
  expect(await all(to)).toEqual([]);
  expect(await all(to, "local/other")).toMatchObject([{ id, text: "theirs" }]);
});

test.for<[string, string, RegExp]>([
  ["no JSON", '{"text":"a"}\n{"text":', /^Cannot import line 2: it is no JSON$/],
  ["no object", '\n\n"text"', /^Cannot import line 3: it is no object$/],
  ["no text", '{"kind":"memory"}', /^Cannot import line 1: text: /],
  ["another tier", '{"kind":"memory","text":"a","tier":"hot"}', /^Cannot import line 1: tier: /],
  [
    "a tag that steers",
    '{"kind":"memory","text":"a","tags":["\\u001b[2J"]}',
    /^Cannot import line 1: tags.0: must match the pattern/,
  ],
  ["no time", '{"text":"a","time":"some day"}', /^Cannot import line 1: time: "some day" can't be read/],
  [
    "a label twice",
    '{"kind":"note","label":"x","text":"a"}\n{"kind":"note","label":"x","text":"b"}',
    /^Cannot import line 2: an entry before it has its label "x"/,
  ],
  [
    "an id twice",
    '{"kind":"note","id":"x","text":"a"}\n{"kind":"note","id":"x","text":"b"}',
    /^Cannot import line 2: an entry before it has its id/,
  ],
])("a line with %s is named, and nothing is imported", async ([, text, message]) => {
  const to = await open();
  await expect(bring(to, text, { format: "jsonl" })).rejects.toThrow(message);
  expect(await all(to)).toEqual([]);
});

test("lines of a data set keep their time, speaker, session and tags", async () => {
  const to = await open();
  const text = [
    '{"id":"conv-26:D1:1","scope":"conv-26","text":"Hey Mel!","time":"1:56 pm on 8 May, 2023","speaker":"Caroline","session":"conv-26:D1"}',
    '{"id":"conv-26:D1:2","scope":"conv-26","text":"Hey!","time":"1:56 pm on 8 May, 2023","speaker":"Mel","session":"conv-26:D1"}',
    '{"id":"1","scope":"all","text":"Bart danced.","time":"2023-12-25","tags":["Activity","Happy"]}',
  ].join("\n");
  expect(await bring(to, text, { format: "jsonl" })).toMatchObject({ new: 3 });
  expect(await bring(to, text, { format: "jsonl" })).toMatchObject({ same: 3 });
  const at = Date.UTC(2023, 4, 8, 13, 56);
  const place = { session: "conv-26:D1" };
  expect(await all(to)).toMatchObject([
    {
      kind: "message",
      tier: "log",
      text: "Hey Mel!",
      at,
      place: { ...place, position: 1, speaker: "Caroline" },
    },
    { kind: "message", text: "Hey!", at, place: { ...place, position: 2, speaker: "Mel" } },
    {
      kind: "memory",
      text: "Bart danced.",
      at: Date.UTC(2023, 11, 25),
      tags: ["Activity", "Happy", "scope:all"],
    },
  ]);
});

test("the memory of @modelcontextprotocol/server-memory becomes memories and a graph", async () => {
  const to = await open();
  const text = [
    '{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea","lives in Paris","likes tea"]}',
    '{"type":"entity","name":"Paris","entityType":"place","observations":[]}',
    '{"type":"relation","from":"Ada","to":"Paris","relationType":"lives_in"}',
  ].join("\n");
  expect(await bring(to, text, { format: "jsonl" })).toMatchObject({ new: 4, connected: 4 });
  expect(await bring(to, text, { format: "jsonl" })).toMatchObject({ new: 0, changed: 0, same: 4 });
  expect((await all(to)).map((entry) => entry.text)).toEqual([
    "Ada: likes tea",
    "Ada: lives in Paris",
    "Paris (place)",
    "Ada lives in Paris",
  ]);
  const [ada] = await to.graph.find("local", "Ada");
  const around = await to.graph.explore("local", ada?.node.id ?? "");
  expect(around).toMatchObject({
    node: { name: "Ada", type: "person" },
    neighbours: [{ node: { name: "Paris", type: "place" } }],
    edges: [{ relation: expect.stringMatching(/^lives.in$/), weight: 1 }],
  });
});

test("names that steer a terminal stay in texts, and become no names", async () => {
  const to = await open();
  const lines = [
    { type: "entity", name: "Eve\u001b[2J", entityType: "\u0007", observations: ["rings"] },
    { type: "relation", from: "Eve\u001b[2J", to: "Ada", relationType: "knows" },
    { type: "relation", from: "Eve", to: "Ada", relationType: "\u0007" },
  ];
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  expect(await bring(to, text, { format: "jsonl" })).toMatchObject({ new: 3, connected: 0 });
  expect((await all(to)).map(({ names, tags }) => ({ names, tags }))).toEqual([
    { names: [], tags: [] },
    { names: ["Ada"], tags: ["relation"] },
    { names: ["Eve", "Ada"], tags: ["relation"] },
  ]);
  expect(await bring(to, "# a\u001b[2J\u0007b\nc", { format: "md" })).toMatchObject({ new: 1 });
  expect((await all(to)).at(-1)).toMatchObject({ title: "a[2Jb" });
});

test("a Markdown document becomes notes by its headings", async () => {
  const to = await open();
  const text = [
    "\uFEFF---\r",
    "tags: [garden, '#plants']",
    "aliases: Beds",
    "---",
    "before any heading",
    "# Roses",
    "red",
    "### deeper",
    "stays",
    "```",
    "# no heading",
    "```",
    "## Empty",
    "",
    "## 2026-05-04",
    "pruned",
    "# roses #",
    "again",
  ].join("\n");
  expect(await bring(to, text, { format: "md", trusted: false })).toMatchObject({ new: 4 });
  expect(await bring(to, text, { format: "md", trusted: false })).toMatchObject({ same: 4 });
  const tags = ["project:app", "garden", "plants"];
  expect(await all(to)).toMatchObject([
    {
      kind: "note",
      label: "notes/app/ideas",
      title: "ideas",
      text: "before any heading",
      tags,
      names: ["Beds"],
    },
    { label: "notes/app/roses", title: "Roses", text: "red\n### deeper\nstays\n```\n# no heading\n```" },
    { label: "notes/app/2026-05-04", text: "pruned", at: Date.UTC(2026, 4, 4) },
    { label: "notes/app/roses (2)", text: "again", trust: "untrusted", permission: "admin" },
  ]);
  const changed = text.replace("pruned", "pruned hard");
  expect(await bring(to, changed, { format: "md", trusted: false })).toMatchObject({ changed: 1, same: 3 });
  expect(await bring(to, changed, { format: "md" })).toMatchObject({ changed: 4 });
  expect(new Set((await all(to)).map(({ trust }) => trust))).toEqual(new Set(["trusted"]));
});

test("a heading that somebody added to an export is an entry", async () => {
  const to = await open();
  const text = `${memoryHead("md", "local")}## My thought\n\nIt rained.\n`;
  expect(await bring(to, text, { format: "md" })).toMatchObject({ new: 1 });
  expect(await bring(to, text, { format: "md" })).toMatchObject({ same: 1 });
  expect(await all(to)).toMatchObject([{ kind: "memory", title: "My thought", text: "It rained." }]);
});

test("more than is made at once is made in steps, and goes on where it stopped", async () => {
  const to = await open();
  const lines = Array.from({ length: 2_100 }, (_, index) =>
    JSON.stringify({ id: `t${index}`, text: `${index}` }),
  );
  const read = () => readPortable([lines.join("\n")], { format: "jsonl", name: "many", project: "app" });
  let edits = 0;
  const memory: ImportOptions["store"] = {
    get: (scope, key) => to.memory.get(scope, key),
    edit: async (...of) => {
      if (++edits === 2) throw new Error("the disk is full");
      return to.memory.edit(...of);
    },
  };
  const options: ImportOptions = {
    store: memory,
    graph: to.graph,
    scope: "local",
    author,
    trusted: true,
    signal,
  };
  const plan = { ...(await planImport(read(), options)), whole: false };
  await expect(importMemory(read, plan, options)).rejects.toThrow("the disk is full");
  expect((await to.memory.list("local", { limit: 1 })).total).toBe(2_000);
  expect(await planImport(read(), options)).toMatchObject({ new: 100, same: 2_000, whole: true });
  await importMemory(read, plan, options);
  expect((await to.memory.list("local", { limit: 1 })).total).toBe(2_100);
});
