import { expect, test } from "vitest";
import { ConsoleViews } from "../../../../test/support/console-views.ts";

async function withEntries() {
  const views = await ConsoleViews.open("agents:\n  scout: {}\n");
  const { store } = await views.app.memory.filed();
  const [persona, note] = await store.edit(
    "local",
    [
      { do: "create_block", entry: { kind: "block", label: "persona", tier: "core", text: "Be brief." } },
      { do: "create_block", entry: { kind: "note", text: "Ada lives in Bern.", tags: ["people"] } },
    ],
    { by: "owner:ada" },
  );
  if (persona === undefined || note === undefined) throw new Error("nothing was made");
  return { views, persona, note };
}

test("entries are listed by filters, and searched with what found them", async () => {
  const { views, note } = await withEntries();
  const page = await views.ask("GET /memory", { query: { kinds: "note", limit: "1" } });
  expect(page.entries.map(({ id }) => id)).toEqual([note.id]);
  const found = await views.ask("GET /memory/search", { query: { q: "where does Ada live", mode: "words" } });
  expect(found.hits[0]).toMatchObject({ entry: { id: note.id }, match: expect.anything() });
  expect(found.by).toBe("words");
  for (const query of [{ limit: "0" }, { limit: "1e3" }, { tiers: "warm" }])
    await expect(views.ask("GET /memory", { query })).rejects.toMatchObject({ code: "CONSOLE_INPUT" });
  await expect(views.ask("GET /memory/search", { query: {} })).rejects.toMatchObject({
    code: "CONSOLE_INPUT",
  });
});

test("entries are narrowed by trust, and deleted ones are listed alone", async () => {
  const { views, persona, note } = await withEntries();
  const { store } = await views.app.memory.filed();
  await store.edit(
    "local",
    [{ do: "create_block", entry: { kind: "note", text: "Wire the money.", trust: "untrusted" } }],
    { by: "mcp:web" },
  );
  const list = async (query: Record<string, string>) =>
    (await views.ask("GET /memory", { query })).entries.map(({ text }) => text);
  expect(await list({ trust: "untrusted" })).toEqual(["Wire the money."]);
  expect(await list({ trust: "trusted", kinds: "note" })).toEqual([note.text]);
  await views.ask("POST /memory/entries/:id/delete", {
    segments: { id: persona.id },
    body: { revision: persona.revision },
  });
  expect(await list({ deleted: "true" })).toEqual([persona.text]);
  await expect(views.ask("GET /memory", { query: { trust: "some" } })).rejects.toMatchObject({
    code: "CONSOLE_INPUT",
  });
});

test("facts that are named are set, others stay, and undo takes them back", async () => {
  const { views, note } = await withEntries();
  const segments = { id: note.id };
  const body = {
    revision: note.revision,
    title: " Where Ada lives ",
    tags: ["people", "places"],
    pinned: true,
  };
  const told = await views.ask("POST /memory/entries/:id/facts", { segments, body });
  expect(told).toMatchObject({
    title: "Where Ada lives",
    tags: ["people", "places"],
    pinned: true,
    text: note.text,
    tier: note.tier,
  });
  await expect(views.ask("POST /memory/entries/:id/facts", { segments, body })).rejects.toMatchObject({
    code: "CONSOLE_CHANGED",
  });
  const { revision } = told;
  const plain = { revision, title: "", tags: [] };
  const bare = await views.ask("POST /memory/entries/:id/facts", { segments, body: plain });
  expect(bare).toMatchObject({ tags: [], pinned: true });
  expect(bare.title).toBeUndefined();
  const undone = await views.ask("POST /memory/entries/:id/undo", {
    segments,
    body: { revision: bare.revision },
  });
  expect(undone).toMatchObject({ title: "Where Ada lives", tags: ["people", "places"] });
  for (const wrong of [{}, { tier: "warm" }, { trust: "trusted" }, { tags: [""] }, { label: "x" }])
    await expect(
      views.ask("POST /memory/entries/:id/facts", {
        segments,
        body: { revision: undone.revision, ...wrong },
      }),
    ).rejects.toMatchObject({ code: "CONSOLE_INPUT" });
});

test("an edit of what was shown is taken, one of an older revision is not, and undo takes it back", async () => {
  const { views, persona } = await withEntries();
  const segments = { id: persona.id };
  const body = { revision: persona.revision, text: "Be brief.\nBe kind." };
  const edited = await views.ask("POST /memory/entries/:id/edit", { segments, body });
  expect(edited).toMatchObject({ text: body.text, revision: persona.revision + 1 });
  await expect(views.ask("POST /memory/entries/:id/edit", { segments, body })).rejects.toMatchObject({
    code: "CONSOLE_CHANGED",
  });
  const { history } = await views.ask("GET /memory/entries/:id", { segments });
  expect(history[0]).toMatchObject({
    author: { by: "person:console", channel: "console" },
    diff: [
      { kind: " ", text: "Be brief." },
      { kind: "+", text: "Be kind." },
    ],
  });
  const undone = await views.ask("POST /memory/entries/:id/undo", {
    segments,
    body: { revision: edited.revision },
  });
  expect(undone.text).toBe("Be brief.");
  const redone = await views.ask("POST /memory/entries/:id/redo", {
    segments,
    body: { revision: undone.revision },
  });
  expect(redone.text).toBe(body.text);
});

test("an entry is shared with an agent, deleted, restored and erased", async () => {
  const { views, note } = await withEntries();
  const segments = { id: note.id };
  let { revision } = note;
  const shared = await views.ask("POST /memory/entries/:id/share", {
    segments,
    body: { revision, with: "scout", permission: "read_only" },
  });
  const { shares } = await views.ask("GET /memory/entries/:id", { segments });
  expect(shares).toMatchObject([{ permission: "read_only", with: "scout" }]);
  await expect(
    views.ask("POST /memory/entries/:id/share", {
      segments,
      body: { revision: shared.revision, with: "nobody", permission: "read_only" },
    }),
  ).rejects.toMatchObject({ code: "CONSOLE_NOT_FOUND" });
  revision = shared.revision;
  const acts = ["delete", "restore", "erase"] as const;
  for (const act of acts) {
    const entry = await views.ask(`POST /memory/entries/:id/${act}`, { segments, body: { revision } });
    revision = entry.revision;
  }
  await expect(views.ask("GET /memory/entries/:id", { segments })).rejects.toMatchObject({
    code: "CONSOLE_NOT_FOUND",
  });
});

test("what goes into every prompt is shown with its tokens, and the overview counts", async () => {
  const { views } = await withEntries();
  const prompt = await views.ask("GET /memory/prompt");
  expect(prompt).toMatchObject({ text: expect.stringContaining("Be brief."), tokens: expect.any(Number) });
  expect(await views.ask("GET /memory/overview")).toMatchObject({
    total: 2,
    kinds: { block: 1, note: 1 },
    agents: ["scout"],
  });
});

test("the graph shows what is around a node, at the time that is asked about", async () => {
  const { views, note } = await withEntries();
  const { graph } = await views.app.store();
  const moved = Date.parse("2026-01-01");
  await graph.add("local", [
    {
      entryId: note.id,
      edges: [
        { source: "Ada", relation: "lives in", target: "Bern", validFrom: moved },
        { source: "Ada", relation: "lives in", target: "Rome", validTo: moved },
      ],
    },
  ]);
  const [found] = await views.ask("GET /memory/nodes", { query: { name: "ada" } });
  const segments = { id: found?.node.id ?? "" };
  const names = async (query: Record<string, string>) =>
    (await views.ask("GET /memory/nodes/:id", { segments, query })).neighbours.map(({ node }) => node.name);
  expect(await names({})).toEqual(["Bern"]);
  expect(await names({ at: String(moved - 1) })).toEqual(["Rome"]);
  expect((await names({ former: "true" })).toSorted()).toEqual(["Bern", "Rome"]);
  const around = await views.ask("GET /memory/nodes/:id", { segments });
  expect(around.entries.map(({ text }) => text)).toEqual([note.text]);
  await expect(views.ask("GET /memory/nodes/:id", { segments: { id: "n_none" } })).rejects.toMatchObject({
    code: "CONSOLE_NOT_FOUND",
  });
});

test.for([{}, { revision: "1" }, { revision: -1 }, { revision: 1, by: "me" }])(
  "a change with the body %j is refused",
  async (body) => {
    const { views, persona } = await withEntries();
    await expect(
      views.ask("POST /memory/entries/:id/undo", { segments: { id: persona.id }, body }),
    ).rejects.toMatchObject({ code: "CONSOLE_INPUT" });
  },
);
