import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openMemoryFileWorld } from "../../../../../test/support/memory-file-world.ts";
import { getOutcome, openMemoryWorld } from "../../../../../test/support/memory-world.ts";
import { UndoFolder, Workspace } from "../../../../host/index.ts";
import { noteTools } from "./note-tools.ts";
import type { DigestSource, MemoryDigest } from "./services.ts";

/** A model that joins what it is given. */
function joining(before: () => unknown = () => {}): MemoryDigest {
  const join = (sources: readonly DigestSource[]) => sources.map(({ text }) => text).join(" + ");
  return {
    async promote({ note, profile }) {
      await before();
      return [profile, note.text].filter(Boolean).join(" + ");
    },
    regenerate: async ({ sources }) => join(sources),
    compact: async ({ sources }) => join(sources),
  };
}

const openWith = (digest?: MemoryDigest) =>
  openMemoryWorld((memory) => noteTools({ memory, project: "haft", ...(digest && { digest }) }));

test("the profile is written, shown and replaced with its history kept", async () => {
  await using world = await openWith();
  expect(await world.call("view_profile", {})).toMatchObject({
    code: "NOTE_NOT_FOUND",
    error: expect.stringContaining("edit_project_profile"),
  });
  await world.call("edit_project_profile", { content: "one" });
  expect(getOutcome(await world.call("edit_project_profile", { content: "two" }))).toMatchObject({
    outcome: "replaced",
  });
  expect(getOutcome(await world.call("view_profile", {}))).toMatchObject({ project: "haft", profile: "two" });
  const { id = "" } = (await world.memory.get("local", "profile/haft")) ?? {};
  expect((await world.memory.history("local", id)).map(({ text }) => text)).toEqual(["two", "one"]);
});

test("without a model, what takes one says what to do instead and changes nothing", async () => {
  await using world = await openWith();
  await world.call("write_note", { title: "n", content: "text" });
  for (const [tool, params] of [
    ["promote_note", { title: "n" }],
    ["regenerate_profile", {}],
  ] as const)
    expect(await world.call(tool, params)).toMatchObject({
      code: "NOTE_MODEL",
      error: expect.stringContaining("edit_project_profile"),
    });
  expect(getOutcome(await world.call("view_profile", {}))).toBe("NOTE_NOT_FOUND");
});

test("promote_note folds a note into the profile, which is from outside as soon as the note is", async () => {
  await using world = await openWith(joining());
  await world.call("write_note", { title: "n", content: "first" });
  await world.call("write_note", { title: "web", content: "from a page" }, { trust: "untrusted" });
  expect(getOutcome(await world.call("promote_note", { title: "n" }))).toMatchObject({ outcome: "created" });
  expect(await world.memory.get("local", "profile/haft")).toMatchObject({ text: "first", trust: "trusted" });
  await world.call("promote_note", { title: "web" });
  const profile = await world.memory.get("local", "profile/haft");
  expect(profile).toMatchObject({ text: "first + from a page", trust: "untrusted" });
  const [latest] = await world.memory.history("local", profile?.id ?? "");
  expect(latest?.author.sources).toHaveLength(2);
  expect(getOutcome(await world.call("promote_note", { title: "none" }))).toBe("NOTE_NOT_FOUND");
});

test("a profile that was edited while a model worked on it is left as it is", async () => {
  const edits: (() => Promise<unknown>)[] = [];
  await using world = await openWith(joining(() => edits.pop()?.()));
  await world.call("write_note", { title: "n", content: "first" });
  await world.call("edit_project_profile", { content: "profile" });
  const { id = "" } = (await world.memory.get("local", "profile/haft")) ?? {};
  const text = "edited meanwhile";
  edits.push(() => world.memory.edit("local", [{ do: "update_block_text", id, text }], { by: "owner:ada" }));
  expect(getOutcome(await world.call("promote_note", { title: "n" }))).toBe("MEMORY_CHANGED");
  expect(await world.memory.get("local", "profile/haft")).toMatchObject({ text });
});

test("a model that gives an empty text changes nothing", async () => {
  await using world = await openWith({ ...joining(), promote: async () => " \n" });
  await world.call("write_note", { title: "n", content: "first" });
  await world.call("edit_project_profile", { content: "profile" });
  expect(getOutcome(await world.call("promote_note", { title: "n" }))).toBe("NOTE_MODEL");
  expect(await world.memory.get("local", "profile/haft")).toMatchObject({ text: "profile" });
});

test("regenerate_profile uses what belongs to the project and nothing else", async () => {
  await using world = await openWith(joining());
  expect(getOutcome(await world.call("regenerate_profile", {}))).toBe("NOTE_NOT_FOUND");
  await world.call("write_note", { title: "n", content: "note of haft" });
  await world.call("write_note", { title: "n", content: "note of another", project_id: "other" });
  await world.put(
    {},
    { kind: "memory", text: "memory of haft", tags: ["project:haft"] },
    { text: "of none" },
  );
  expect(getOutcome(await world.call("regenerate_profile", {}))).toMatchObject({ sources: 2 });
  expect(getOutcome(await world.call("view_profile", {}))).toMatchObject({
    profile: expect.stringMatching(/^(?=.*note of haft)(?=.*memory of haft)(?!.*another)/),
  });
});

test("memory_search finds what every vocabulary keeps, and nothing of other projects", async () => {
  await using world = await openMemoryFileWorld((memory) => noteTools({ memory, project: "haft" }));
  await world.call("write_note", { title: "n", content: "zebra in a note" });
  await world.call("write_note", { title: "n", content: "zebra elsewhere", project_id: "other" });
  await world.call("memory_write", { path: "facts/animals.md", content: "zebra in a file\n" });
  await world.put(
    {},
    { kind: "block", text: "zebra in a block" },
    { kind: "memory", text: "zebra in a memory" },
  );
  const search = async (params: object) => {
    const found = getOutcome(await world.call("memory_search", { query: "zebra", ...params }));
    return (found as { results: { text: string }[] }).results.map(({ text }) => text).sort();
  };
  const everywhere = ["zebra in a block", "zebra in a file", "zebra in a memory"];
  expect(await search({})).toEqual([...everywhere, "zebra in a note"]);
  expect(await search({ project_id: "other" })).toEqual(["zebra elsewhere", ...everywhere]);
  expect(await search({ top_k: 2 })).toHaveLength(2);
  expect(getOutcome(await world.call("memory_search", { query: "zebra" }))).toMatchObject({ total: 4 });
});

test("memory_stats counts, and memory_reindex reads files again that only seem unchanged", async () => {
  await using world = await openMemoryFileWorld((memory, files) =>
    noteTools({ memory, project: "haft", files }),
  );
  await world.call("write_note", { title: "n", content: "x" });
  world.byHand("facts/user.md", "Ada");
  expect(getOutcome(await world.call("memory_stats", {}))).toMatchObject({
    notes: 1,
    has_profile: false,
    total: 2,
    kinds: { note: 1, passage: 1, block: 0 },
    tiers: { archival: 2 },
  });
  expect(getOutcome(await world.call("memory_reindex", {}))).toMatchObject({ files: 1 });
});

const day = 24 * 60 * 60 * 1000;

async function putOld(world: Awaited<ReturnType<typeof openWith>>) {
  const monday = Date.parse("2026-05-04T08:00:00Z");
  const memory = (text: string, at: number) => ({ kind: "memory", text, at }) as const;
  await world.put(
    {},
    memory("m1", monday),
    memory("m2", monday + 6 * day),
    { ...memory("pinned", monday), pinned: true },
    { ...memory("kept for people", monday), permission: "human" },
    { ...memory("of another project", monday), tags: ["project:other"] },
    { ...memory("a note", monday), kind: "note" },
    memory("alone in its week", monday + 7 * day),
    memory("recent 1", Date.now()),
    memory("recent 2", Date.now()),
  );
}

test("compact_memory digests week by week what is old, and everything can be had back", async () => {
  await using world = await openWith(joining());
  await putOld(world);
  const compacted = getOutcome(await world.call("compact_memory", {})) as { weeks: { digest: string }[] };
  expect(compacted.weeks).toMatchObject([{ week: "2026-05-04", entries: 2 }]);
  const left = await world.memory.list("local", { kinds: ["memory"], limit: 100 });
  const texts = left.entries.map(({ text }) => text);
  expect(texts).toContain("m1 + m2");
  expect(texts).not.toContain("m1");
  expect(texts).toHaveLength(7);
  const all = await world.all({});
  const digest = all.find(({ id }) => id === compacted.weeks[0]?.digest);
  expect(digest).toMatchObject({ category: "digest", at: Date.parse("2026-05-10T08:00:00Z") });
  const digested = all.filter(({ supersededBy }) => supersededBy === digest?.id).map(({ text }) => text);
  expect(digested.sort()).toEqual(["m1", "m2"]);
  expect(getOutcome(await world.call("compact_memory", {}))).toMatchObject({ weeks: [] });
  expect(world.asked).toEqual([]);
});

test("compact_memory keeps what came from outside apart, and its digest supersedes nothing else", async () => {
  await using world = await openWith(joining());
  const at = Date.parse("2026-05-04T08:00:00Z");
  const outside = { kind: "memory", at, trust: "untrusted" } as const;
  await world.put(
    {},
    ...["a", "b"].map((text) => ({ kind: "memory", at, text })),
    ...["x", "y"].map((text) => ({ ...outside, text })),
    { ...outside, text: "alone", at: at + 7 * day },
    { kind: "memory", text: "alone too", at: at + 7 * day },
  );
  const strangers = { trust: "untrusted" } as const;
  const ofStrangers = getOutcome(await world.call("compact_memory", {}, strangers));
  expect(ofStrangers).toMatchObject({ weeks: [{ entries: 2, trust: "untrusted" }] });
  expect(getOutcome(await world.call("compact_memory", {}))).toMatchObject({ weeks: [{ entries: 2 }] });
  const all = await world.all({});
  const digests = all.filter(({ category }) => category === "digest");
  expect(digests.map(({ text, trust }) => [text, trust])).toEqual([
    ["x + y", "untrusted"],
    ["a + b", "trusted"],
  ]);
  for (const { id, trust } of digests)
    for (const old of all.filter(({ supersededBy }) => supersededBy === id)) expect(old.trust).toBe(trust);
});

test("without a model compact_memory says what it would do and does nothing", async () => {
  await using world = await openWith();
  await putOld(world);
  const before = await world.all({});
  expect(getOutcome(await world.call("compact_memory", {}))).toMatchObject({
    kept: 6,
    weeks: [{ week: "2026-05-04", entries: 2 }],
    note: expect.stringContaining("nothing was changed"),
  });
  expect(await world.all({})).toEqual(before);
});

test("compare_specs_notes shows specs beside notes, and no folder that is not allowed", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-specs-")));
  const project = join(folder, "project");
  mkdirSync(join(project, "specs", "deep"), { recursive: true });
  mkdirSync(join(folder, "outside"));
  writeFileSync(join(folder, "outside", "canary.md"), "x");
  writeFileSync(join(project, "specs", "api-design.md"), "# API");
  writeFileSync(join(project, "specs", "deep", "storage.md"), "# S");
  writeFileSync(join(project, "specs", "ignored.txt"), "x");
  symlinkSync(join(folder, "outside"), join(project, "link"));
  try {
    const workspace = new Workspace({ undo: new UndoFolder(join(folder, "undo")) });
    await using world = await openMemoryWorld((memory) => noteTools({ memory, project: "haft", workspace }));
    await world.call("write_note", { title: "API Design", content: "12345" });
    await world.call("write_note", { title: "Ideas", content: "1" });
    const allowed = { allowedPaths: [project] };
    expect(getOutcome(await world.call("compare_specs_notes", {}, allowed))).toEqual({
      project: "haft",
      pairs: [{ spec: { path: "api-design.md", size: 5 }, note: { title: "API Design", size: 5 } }],
      specs_without_note: [{ path: "deep/storage.md", size: 3 }],
      notes_without_spec: [{ title: "Ideas", size: 1 }],
    });
    expect(getOutcome(await world.call("compare_specs_notes", { specs_path: "none" }, allowed))).toBe(
      "FILE_NOT_FOUND",
    );
    world.answer(false);
    for (const specs_path of ["link", "../outside"])
      expect(getOutcome(await world.call("compare_specs_notes", { specs_path }, allowed))).toBe(
        "TOOL_PERMISSION",
      );
    expect(world.asked).toHaveLength(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
