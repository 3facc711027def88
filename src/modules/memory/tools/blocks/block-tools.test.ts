import { describe, expect, test } from "vitest";
import { getOutcome, openMemoryWorld } from "../../../../../test/support/memory-world.ts";
import { createTestExecutor } from "../../../../../test/support/test-executor.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";
import type { MemoryStore } from "../../store/memory-store.ts";
import { blockTools } from "./index.ts";

const clock = { now: () => 1_000, after: () => () => {} } as never;
const openWorld = () => openMemoryWorld((memory) => blockTools({ memory, clock }));
const agent = { agentId: "writer" };

/** What is left of entries for a look at all of them: `label tier text`. */
function brief(entries: readonly MemoryEntry[]): string[] {
  return entries
    .filter(({ deletedAt }) => deletedAt === undefined)
    .map(({ label, tier, text }) => `${label} ${tier}: ${text}`)
    .toSorted();
}

describe("block", () => {
  test("appends on a line of its own and says which block has which revision now", async () => {
    await using world = await openWorld();
    const [entry] = await world.put(agent, { label: "human", tier: "core", text: "Ada." });
    const result = await world.call(
      "block",
      { operation: "append", label: "human", content: "Prefers mornings." },
      agent,
    );
    expect(getOutcome(result)).toEqual({
      appended_chars: 17,
      block: { id: entry?.id, label: "human", tier: "core", revision: 2 },
    });
    expect(brief(await world.all(agent))).toEqual(["human core: Ada.\nPrefers mornings."]);
    expect(world.asked).toEqual([]);
  });

  test("replaces every occurrence, and tells of a text that is not there", async () => {
    await using world = await openWorld();
    await world.put(agent, { label: "plan", tier: "working", text: "tea, cake, tea" });
    const replace = (old_content: string, new_content: string) =>
      world.call("block", { operation: "replace", label: "plan", old_content, new_content }, agent);
    expect(getOutcome(await replace("tea", "$1"))).toMatchObject({ replaced: 2 });
    expect(await replace("coffee", "x")).toMatchObject({ code: "MEMORY_TEXT_NOT_FOUND" });
    expect(getOutcome(await replace(", cake", ""))).toMatchObject({ replaced: 1 });
    expect(brief(await world.all(agent))).toEqual(["plan working: $1, $1"]);
  });

  test("tells how to make a block that is not there, and both ways are how", async () => {
    await using world = await openWorld();
    const replace = { operation: "replace", label: "human", old_content: "Ada", new_content: "Eve" };
    expect(await world.call("block", replace, agent)).toMatchObject({
      code: "MEMORY_NOT_FOUND",
      error: expect.stringMatching(
        /no memory "human".*append to a new label; or recall insert, then block load/,
      ),
    });
    await world.call("recall", { operation: "insert", label: "human", content: "Ada" }, agent);
    await world.call("block", { operation: "load", archival_label: "human" }, agent);
    expect(await world.call("block", replace, agent)).toMatchObject({ success: true });
  });

  test("creates the block that it is to append to where there is none, and says so", async () => {
    await using world = await openWorld();
    const add = (content: string) => ({ operation: "append", label: "scratch", content });
    expect(getOutcome(await world.call("block", add("one"), agent))).toMatchObject({
      created: true,
      block: { label: "scratch", tier: "core", revision: 1 },
    });
    expect(getOutcome(await world.call("block", add("two"), agent))).toMatchObject({ appended_chars: 3 });
    const both = await Promise.all(
      [1, 2].map((n) => world.call("block", { ...add(`${n}`), label: "log" }, agent)),
    );
    expect(both.map(({ success }) => success)).toEqual([true, true]);
    expect(brief(await world.all(agent))).toEqual([
      expect.stringMatching(/^log core: (1\n2|2\n1)$/),
      "scratch core: one\ntwo",
    ]);
  });

  test("tells of a block that is not there which labels come near", async () => {
    await using world = await openWorld();
    await world.put(agent, { label: "persona", tier: "core" });
    expect(
      await world.call("block", { operation: "append", label: "personas", content: "x" }, agent),
    ).toMatchObject({ code: "MEMORY_NOT_FOUND", error: expect.stringContaining('did you mean "persona"?') });
  });

  test.for([
    [{ operation: "append", label: "it" }, "content", "append needs it"],
    [{ operation: "replace", label: "it", content: "x" }, "old_content", "replace needs it"],
    [{ operation: "append", label: "it", content: "x", load_label: "y" }, "load_label", "takes none"],
    [{ operation: "swap", archive_label: "it" }, "load_label", "swap needs it"],
  ] as const)("refuses %j, naming %s", async ([params, name, why]) => {
    await using world = await openWorld();
    const result = await world.call("block", params, agent);
    expect(result).toMatchObject({ code: "TOOL_VALIDATION" });
    expect(result.text).toContain(name);
    expect(result.text).toContain(why);
  });
});

describe("block archive", () => {
  test("makes the block itself archival, under a label of its own or the one that is given", async () => {
    await using world = await openWorld();
    const [one] = await world.put(
      agent,
      { label: "one", tier: "core", permission: "admin", pinned: true },
      { label: "two", tier: "working", permission: "admin" },
    );
    const archived = await world.call("block", { operation: "archive", label: "one" }, agent);
    expect(getOutcome(archived)).toMatchObject({
      archived: "one",
      block: { id: one?.id, label: "one_archived_1000", tier: "archival" },
    });
    await world.call("block", { operation: "archive", label: "two", archival_label: "kept" }, agent);
    expect(brief(await world.all(agent))).toEqual(["kept archival: one", "one_archived_1000 archival: one"]);
    expect((await world.all(agent)).map(({ pinned }) => pinned)).toEqual([false, false]);
  });

  test("over an archival block replaces its text, which can be taken back, and deletes the source", async () => {
    await using world = await openWorld();
    const [source, target] = await world.put(
      agent,
      { label: "now", tier: "core", permission: "admin", text: "new" },
      { label: "then", text: "old" },
    );
    const params = { operation: "archive", label: "now", archival_label: "then" };
    expect(getOutcome(await world.call("block", params, agent))).toMatchObject({
      replaced_older: true,
      block: { id: target?.id, revision: 2 },
    });
    expect(brief(await world.all(agent))).toEqual(["then archival: new"]);
    const scope = "local/writer";
    await world.memory.edit(
      scope,
      [
        { do: "undo_block", id: target?.id as string },
        { do: "restore_block", id: source?.id as string },
      ],
      { by: "owner:ada" },
    );
    expect(brief(await world.all(agent))).toEqual(["now core: new", "then archival: old"]);
  });

  test.for([
    [{ label: "note" }, "MEMORY_INVALID"],
    [{ label: "mine", archival_label: "seen" }, "MEMORY_LABEL_TAKEN"],
    [{ label: "plain" }, "MEMORY_DENIED"],
    [{ label: "plain", archival_label: "asking" }, "MEMORY_DENIED"],
    [{ label: "mine", archival_label: "fixed" }, "MEMORY_DENIED"],
    [{ label: "none" }, "MEMORY_NOT_FOUND"],
  ] as const)("of %j is refused as %s, and nothing is changed or asked", async ([params, code]) => {
    await using world = await openWorld();
    await world.put(
      agent,
      { label: "note", permission: "admin" },
      { label: "mine", tier: "working", permission: "admin" },
      { label: "seen", tier: "core" },
      { label: "plain", tier: "core" },
      { label: "asking", permission: "human" },
      { label: "fixed", permission: "read_only" },
    );
    const before = await world.all(agent);
    expect(await world.call("block", { operation: "archive", ...params }, agent)).toMatchObject({ code });
    expect(await world.all(agent)).toEqual(before);
    expect(world.asked).toEqual([]);
  });
});

describe("block load", () => {
  test("under the same label puts the archival block itself in sight", async () => {
    await using world = await openWorld();
    const [entry] = await world.put(agent, { label: "old", permission: "read_only" });
    expect(
      getOutcome(await world.call("block", { operation: "load", archival_label: "old" }, agent)),
    ).toEqual({ block: { id: entry?.id, label: "old", tier: "working", revision: 2 } });
    expect(brief(await world.all(agent))).toEqual(["old working: one"]);
  });

  test("under another label makes a block that allows no more, and leaves the archival one", async () => {
    await using world = await openWorld();
    const [kept] = await world.put(agent, { label: "old", permission: "partner", tags: ["x"] });
    const params = { operation: "load", archival_label: "old", label: "new" };
    expect(getOutcome(await world.call("block", params, agent))).toMatchObject({
      block: { label: "new", tier: "working" },
      kept_archival: { id: kept?.id, revision: 1 },
    });
    expect(brief(await world.all(agent))).toEqual(["new working: one", "old archival: one"]);
    expect(await world.memory.get("local/writer", "new")).toMatchObject({
      permission: "partner",
      tags: ["x"],
      author: { by: "agent:writer", sources: [kept?.id] },
    });
  });

  test.for([
    [{ archival_label: "seen" }, "MEMORY_INVALID"],
    [{ archival_label: "old", label: "seen" }, "MEMORY_LABEL_TAKEN"],
    [{ archival_label: "old", label: "asking" }, "MEMORY_LABEL_TAKEN"],
  ] as const)("of %j is refused as %s, and nothing is changed or asked", async ([params, code]) => {
    await using world = await openWorld();
    await world.put(
      agent,
      { label: "old" },
      { label: "seen", tier: "core" },
      { label: "asking", tier: "core", permission: "human" },
    );
    const before = await world.all(agent);
    expect(await world.call("block", { operation: "load", ...params }, agent)).toMatchObject({ code });
    expect(await world.all(agent)).toEqual(before);
    expect(world.asked).toEqual([]);
  });
});

describe("block swap", () => {
  const swap = { operation: "swap", archive_label: "old_project", load_label: "new_project" };

  test("archives one and loads a copy of the other, where that may not be taken from the archive", async () => {
    await using world = await openWorld();
    const [old, fresh] = await world.put(
      agent,
      { label: "old_project", tier: "core", text: "old" },
      { label: "new_project", text: "new" },
    );
    expect(getOutcome(await world.call("block", swap, agent))).toMatchObject({
      archived: { id: old?.id, label: "old_project" },
      loaded: { label: "new_project_working" },
      kept_archival: { id: fresh?.id, revision: 1 },
    });
    expect(brief(await world.all(agent))).toEqual([
      "new_project archival: new",
      "new_project_working working: new",
      "old_project archival: old",
    ]);
  });

  test("takes the other from the archive where its permission is admin, and can be taken back by a swap", async () => {
    await using world = await openWorld();
    await world.put(
      agent,
      { label: "old_project", tier: "core", permission: "admin", text: "old" },
      { label: "new_project", permission: "admin", text: "new" },
    );
    const swapped = getOutcome(await world.call("block", swap, agent));
    expect(swapped).not.toHaveProperty("kept_archival");
    expect(brief(await world.all(agent))).toEqual(["new_project working: new", "old_project archival: old"]);
    await world.call("block", { ...swap, archive_label: "new_project", load_label: "old_project" }, agent);
    expect(brief(await world.all(agent))).toEqual(["new_project archival: new", "old_project working: old"]);
  });

  test("changes neither where one of the two can't be done", async () => {
    await using world = await openWorld();
    await world.put(
      agent,
      { label: "old_project", tier: "core" },
      { label: "new_project" },
      { label: "taken", tier: "working" },
      { label: "fixed", tier: "core", permission: "append" },
    );
    const before = await world.all(agent);
    const refused = [
      await world.call("block", { ...swap, label: "taken" }, agent),
      await world.call("block", { ...swap, archive_label: "fixed" }, agent),
      await world.call("block", { ...swap, archive_label: "new_project" }, agent),
      await world.call("block", { ...swap, load_label: "taken" }, agent),
      await world.call("block", { ...swap, load_label: "none" }, agent),
    ];
    expect(refused.map(getOutcome)).toEqual([
      "MEMORY_LABEL_TAKEN",
      "MEMORY_DENIED",
      "MEMORY_INVALID",
      "MEMORY_INVALID",
      "MEMORY_NOT_FOUND",
    ]);
    expect(await world.all(agent)).toEqual(before);
  });
});

describe("recall", () => {
  test("inserts, appends to, reads and deletes archival memory", async () => {
    await using world = await openWorld();
    const recall = async (params: object) => getOutcome(await world.call("recall", params, agent));
    expect(await recall({ operation: "insert", content: "Max is a dog." })).toEqual({
      inserted: { id: expect.any(String), label: "archival_1000", tier: "archival", revision: 1 },
    });
    await recall({ operation: "append", label: "archival_1000", content: "He fetches." });
    expect(await recall({ operation: "read", label: "archival_1000" })).toMatchObject({
      label: "archival_1000",
      revision: 2,
      text: "Max is a dog.\nHe fetches.",
      created: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(await recall({ operation: "delete", label: "archival_1000" })).toBe("MEMORY_DENIED");
    await world.put(agent, { label: "mine", permission: "admin" });
    expect(await recall({ operation: "delete", label: "mine" })).toMatchObject({
      deleted: { label: "mine" },
    });
    expect(await recall({ operation: "read", label: "mine" })).toBe("MEMORY_NOT_FOUND");
    expect(await recall({ operation: "insert", content: "again", label: "mine" })).toMatchObject({
      inserted: { label: "mine" },
    });
    expect(await recall({ operation: "insert", content: "again", label: "mine" })).toBe("MEMORY_LABEL_TAKEN");
  });

  test("leaves what is in sight to block", async () => {
    await using world = await openWorld();
    await world.put(agent, { label: "seen", tier: "core", permission: "admin" });
    for (const operation of ["append", "delete"]) {
      const params = { operation, label: "seen", ...(operation === "append" && { content: "x" }) };
      expect(await world.call("recall", params, agent)).toMatchObject({ code: "MEMORY_INVALID" });
    }
  });
});

describe("search", () => {
  test("says of conversations that none was recorded, and blames no filter for it", async () => {
    await using world = await openWorld();
    await world.put(agent, { label: "plan", text: "deadline on Friday" });
    for (const tool of ["search", "semantic_search"])
      expect(
        getOutcome(await world.call(tool, { domain: "conversations", query: "deadline" }, agent)),
      ).toMatchObject({
        results: [],
        note: expect.stringContaining("No conversation has been recorded here yet"),
      });
  });

  const said = (session: string, text: string, role: string, at: string) => ({
    kind: "message",
    text,
    at: Date.parse(at),
    place: { session, speaker: role === "user" ? "Ada" : "bot", role },
  });

  async function openTalk() {
    const world = await openWorld();
    await world.put(
      agent,
      { label: "deadline", text: "The project deadline is in June." },
      { label: "human", tier: "core", text: "Ada asks about the deadline." },
      said("s1", "When is the deadline?", "user", "2026-05-01T10:00:00Z"),
      said("s1", "The deadline is the first of June.", "assistant", "2026-05-02T10:00:00Z"),
      said("s1", "Thank you.", "user", "2026-05-03T10:00:00Z"),
    );
    const search = async (params: object) => {
      const result = await world.call("search", { query: "deadline", ...params }, agent);
      if (!result.success) return result.code;
      return (result.result as { results: { text: string }[] }).results.map(({ text }) => text).toSorted();
    };
    return { world, search };
  }

  test("looks in the domain, for the role and the time that are given", async () => {
    const { world, search } = await openTalk();
    await using _ = world;
    const [asked, told] = ["Is there a deadline?", "A deadline there is."];
    await world.put(
      agent,
      said("s2", asked, "user", "2025-05-01T10:00:00Z"),
      said("s3", told, "assistant", "2025-05-02T10:00:00Z"),
    );
    const early = { domain: "conversations", end_time: "2026-01-01" };
    expect(await search({ domain: "archival_memory" })).toEqual(["The project deadline is in June."]);
    expect(await search(early)).toEqual([told, asked]);
    expect(await search({ domain: "all" })).toEqual(
      expect.arrayContaining([
        asked,
        told,
        "The project deadline is in June.",
        "Ada asks about the deadline.",
      ]),
    );
    expect(await search({ ...early, role: "user" })).toEqual([asked]);
    expect(await search({ ...early, start_time: "2025-05-02" })).toEqual([told]);
    expect(await search({ ...early, end_time: "2025-05-02T10:00:00Z" })).toEqual([asked]);
    expect(await search({ domain: "all", limit: 1 })).toHaveLength(1);
    expect(await search({ domain: "archival_memory", role: "user" })).toBe("TOOL_VALIDATION");
    expect(await search({ domain: "all", limit: 101 })).toBe("TOOL_VALIDATION");
    expect(await search({ domain: "archival_memory", start_time: "soon" })).toBe("TOOL_VALIDATION");
  });

  test("shows a turn with its neighbours, and who spoke", async () => {
    const { world } = await openTalk();
    await using _ = world;
    const params = { domain: "conversations", query: "what is the first deadline" };
    const { results } = getOutcome(await world.call("search", params, agent)) as { results: object[] };
    const text = "The deadline is the first of June.";
    expect(results.find((result) => "text" in result && result.text === text)).toMatchObject({
      role: "assistant",
      speaker: "bot",
      at: "2026-05-02T10:00:00.000Z",
      before: [{ speaker: "Ada", text: "When is the deadline?" }],
      after: [{ text: "Thank you." }],
    });
  });

  test("says why it found nothing, and finds nothing of another agent", async () => {
    const { world } = await openTalk();
    await using _ = world;
    const params = { domain: "all", query: "deadline" };
    expect(getOutcome(await world.call("search", params, { agentId: "reader" }))).toEqual({
      results: [],
      total: 0,
      by: expect.any(String),
      note: expect.any(String),
    });
  });

  test("that is refused is an error, never an empty list", async () => {
    const refusing = {
      search: () => Promise.reject(new Error("the index is locked")),
    } as unknown as MemoryStore;
    const { executor } = createTestExecutor(blockTools({ memory: refusing }));
    for (const [name, params] of [
      ["search", { domain: "all", query: "x" }],
      ["semantic_search", { query: "x" }],
    ] as const)
      expect(await executor.execute(name, params)).toMatchObject({
        success: false,
        error: expect.stringContaining("the index is locked"),
      });
  });

  test("cuts a long text and says how much is left out", async () => {
    await using world = await openWorld();
    await world.put(agent, { label: "long", text: `deadline ${"x".repeat(2000)}` });
    const params = { domain: "archival_memory", query: "deadline" };
    const { results } = getOutcome(await world.call("search", params, agent)) as { results: object[] };
    expect(results).toMatchObject([{ text: expect.stringMatching(/^deadline x+$/), more_chars: 1009 }]);
  });
});

test("semantic_search says that there is no sentence model, and searches by words", async () => {
  await using world = await openWorld();
  await world.put(agent, { label: "pet", text: "Max is a golden retriever." });
  expect(getOutcome(await world.call("semantic_search", { query: "retriever" }, agent))).toMatchObject({
    results: [{ label: "pet" }],
    note: "There is no sentence model, so this was searched by words",
  });
  expect(getOutcome(await world.call("semantic_search", { query: "harbour" }, agent))).toMatchObject({
    results: [],
    note: expect.stringMatching(/no sentence model.* by words\. None of 1 entry/),
  });
});
