import { describe, expect, test } from "vitest";
import { openStore } from "../../../app/store/index.ts";
import { Memory } from "./memory.ts";
import { type MemoryCaller, toMemoryCaller } from "./memory-caller.ts";
import { type MemoryEntry, type MemoryPermission, memoryPermissions } from "./memory-entry.ts";
import type { MemoryStore } from "./memory-store.ts";

const clock = { now: () => 1_000, after: () => () => {} } as never;

/** Memory of one scope, seen by an agent (who may have been agreed to) and by its owner. */
async function openMemory(caller: Partial<MemoryCaller> = {}) {
  const store = await openStore({ path: ":memory:" });
  const connect = (scope: string, more: Partial<MemoryCaller> = {}, over: MemoryStore = store.memory) =>
    new Memory(over, { scope, author: { by: `agent:${scope}` }, ...more }, { clock });
  return {
    store: store.memory,
    connect,
    memory: connect("a", caller),
    owner: connect("a", { owner: true, author: { by: "owner:ada" } }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const block = { kind: "block", label: "it", text: "one", tier: "core" } as const;
const code = (name: string) => expect.objectContaining({ code: name });

describe("what each method needs", () => {
  type Needs = "append" | "overwrite" | "delete";
  const methods: readonly [string, Needs, (memory: Memory) => Promise<unknown>][] = [
    ["appendToBlock", "append", (memory) => memory.appendToBlock("it", "two")],
    ["updateBlockText", "overwrite", (memory) => memory.updateBlockText("it", "two")],
    ["replaceInBlock", "overwrite", (memory) => memory.replaceInBlock("it", "one", "two")],
    ["setBlockPinned", "overwrite", (memory) => memory.setBlockPinned("it", true)],
    ["describeBlock", "overwrite", (memory) => memory.describeBlock("it", { title: "It" })],
    [
      "supersedeBlock",
      "overwrite",
      (memory) => memory.supersedeBlock("it", { kind: "block", label: "it", text: "two", tier: "working" }),
    ],
    [
      "supersedeBlock by what is not in sight",
      "delete",
      (memory) => memory.supersedeBlock("it", { kind: "block", label: "it", text: "two" }),
    ],
    ["setBlockType working", "overwrite", (memory) => memory.setBlockType("it", "working")],
    ["setBlockType archival", "delete", (memory) => memory.setBlockType("it", "archival")],
    ["deleteBlock", "delete", (memory) => memory.deleteBlock("it")],
    ["archiveBlock", "delete", (memory) => memory.archiveBlock("it")],
    ["undoBlock", "delete", (memory) => memory.undoBlock("it")],
  ];
  const allowed: Readonly<Record<Needs, readonly MemoryPermission[]>> = {
    append: ["append", "read_write", "admin"],
    overwrite: ["read_write", "admin"],
    delete: ["admin"],
  };
  const agreed: Readonly<Record<Needs, readonly MemoryPermission[]>> = {
    append: ["partner", "human"],
    overwrite: ["partner", "human"],
    delete: [],
  };

  test.for(methods.flatMap((method) => memoryPermissions.map((permission) => ({ method, permission }))))(
    "$method.0 with $permission",
    async ({ method: [, needs, run], permission }) => {
      await using world = await openMemory();
      const { owner, memory, connect } = world;
      const yes = connect("a", { consents: (key) => key === "it" });
      const other = connect("a", { consents: (key) => key !== "it" });
      const { id } = await owner.createBlock({ ...block, permission });
      await owner.describeBlock("it", { tags: ["first"] });
      const before = await owner.getBlock(id);
      const asks = agreed[needs].includes(permission);
      const free = allowed[needs].includes(permission);
      if (!free) {
        const refused = asks ? "MEMORY_CONSENT" : "MEMORY_DENIED";
        for (const one of [memory, other, ...(asks ? [] : [yes])])
          await expect(run(one)).rejects.toEqual(code(refused));
        expect(await owner.getBlock(id)).toEqual(before);
      }
      await run(asks ? yes : free ? memory : owner);
      expect(await owner.getBlock(id)).not.toEqual(before);
    },
  );

  test("a log is changed by a person alone, and no agent begins one", async () => {
    await using world = await openMemory();
    const { owner, memory } = world;
    await owner.createBlock({ ...block, permission: "admin", tier: "log" });
    await owner.createBlock({ ...block, permission: "admin", label: "core" });
    for (const refused of [
      memory.appendToBlock("it", "two"),
      memory.deleteBlock("it"),
      memory.setBlockType("it", "working"),
      memory.setBlockType("core", "log"),
      memory.createBlock({ ...block, label: "log", tier: "log" }),
    ])
      await expect(refused).rejects.toEqual(code("MEMORY_DENIED"));
    expect(await owner.appendToBlock("it", "two")).toMatchObject({ text: "one\ntwo" });
  });

  test("nobody but a person erases, deleted entries too", async () => {
    await using world = await openMemory();
    const { owner, memory } = world;
    const { id } = await owner.createBlock({ ...block, permission: "admin" });
    await expect(memory.eraseBlock("it")).rejects.toEqual(code("MEMORY_DENIED"));
    await memory.deleteBlock("it");
    await owner.eraseBlock(id);
    expect(await owner.findBlock(id)).toBeUndefined();
  });

  test("who may change an entry, only a person says", async () => {
    await using world = await openMemory();
    const { owner, memory } = world;
    await owner.createBlock({ ...block, permission: "admin" });
    await expect(memory.setBlockPermission("it", "append")).rejects.toEqual(code("MEMORY_DENIED"));
    expect(await owner.setBlockPermission("it", "append")).toMatchObject({ permission: "append" });
    await expect(memory.undoBlock("it")).rejects.toEqual(code("MEMORY_DENIED"));
  });

  test("a call that was decided to change nothing changes nothing, though it is allowed by now", async () => {
    await using world = await openMemory({ declares: (key) => key !== "it" });
    const { owner, memory } = world;
    const { id } = await owner.createBlock(block);
    for (const key of ["it", id])
      await expect(memory.appendToBlock(key, "two")).rejects.toEqual(code("MEMORY_CHANGED"));
    expect(await owner.getBlock("it")).toMatchObject({ text: "one", revision: 1 });
  });
});

test("toMemoryCaller() takes as consent what a person was asked about, and nothing else that was decided", () => {
  const effects = [
    { kind: "write", target: "memory:asked", within: false },
    { kind: "write", target: "memory:free", within: true },
    { kind: "read", target: "memory:seen", within: false },
  ] as const;
  const call = {
    scope: "s",
    agentId: "a/b",
    callId: "c",
    origin: undefined,
    trust: "trusted",
    effects,
  } as const;
  const { scope, author, consents, declares } = toMemoryCaller(call);
  expect([scope, author]).toEqual(["s/a%2Fb", { by: "agent:a/b", callId: "c" }]);
  const keys = ["asked", "free", "seen", "other"];
  expect(keys.map((key) => consents?.(key))).toEqual([true, false, false, false]);
  expect(keys.map((key) => declares?.(key))).toEqual([true, true, false, false]);
});

describe("Memory.getBlock()", () => {
  test("names labels that come near, but none that somebody outside could have chosen", async () => {
    await using world = await openMemory();
    const { owner, memory } = world;
    await owner.createBlock({ ...block, label: "project_x" });
    await owner.createBlock({ ...block, label: "projekt_y", trust: "untrusted" });
    await expect(memory.getBlock("projet_x")).rejects.toMatchObject({
      code: "MEMORY_NOT_FOUND",
      message: 'There is no memory "projet_x"; did you mean "project_x"?',
    });
  });

  test("does not find for an agent what was deleted, and does for a person", async () => {
    await using world = await openMemory();
    const { owner, memory } = world;
    const { id } = await owner.createBlock({ ...block, permission: "admin" });
    await memory.deleteBlock("it");
    await expect(memory.getBlock(id)).rejects.toEqual(code("MEMORY_NOT_FOUND"));
    expect(await memory.findBlock(id)).toBeUndefined();
    expect(await owner.getBlock(id)).toMatchObject({ id, deletedAt: expect.any(Number) });
  });
});

describe("Memory.restoreBlock()", () => {
  test("restores for an agent what it deleted itself, and nothing that a person did", async () => {
    await using world = await openMemory();
    const { owner, memory } = world;
    const { id } = await owner.createBlock({ ...block, permission: "admin" });
    await memory.deleteBlock(id);
    expect(await memory.restoreBlock(id)).toMatchObject({ label: "it", deletedAt: undefined });
    await owner.deleteBlock(id);
    await expect(memory.restoreBlock(id)).rejects.toEqual(code("MEMORY_DENIED"));
    expect(await owner.restoreBlock(id)).toMatchObject({ deletedAt: undefined });
    await expect(memory.restoreBlock("m_none")).rejects.toEqual(code("MEMORY_NOT_FOUND"));
  });
});

describe("Memory.replaceInBlock()", () => {
  test("replaces every occurrence, literally, and counts them", async () => {
    await using world = await openMemory();
    await world.memory.createBlock({ ...block, text: "a.b a.b aXb" });
    expect(await world.memory.replaceInBlock("it", "a.b", "$&$1")).toMatchObject({
      count: 2,
      entry: { text: "$&$1 $&$1 aXb", revision: 2 },
    });
  });

  test.for([
    ["", "is empty"],
    ["Tuesday", "does not occur in it; copy it from the block exactly"],
    ["MONDAY", "in other letter case it occurs twice"],
    ["on  monday", "with other white space it occurs once"],
  ])("says of %j what there is instead", async ([old, said]) => {
    await using world = await openMemory();
    await world.memory.createBlock({ ...block, text: "on Monday,\non\tmonday" });
    await expect(world.memory.replaceInBlock("it", old as string, "x")).rejects.toMatchObject({
      code: "MEMORY_TEXT_NOT_FOUND",
      message: expect.stringContaining((said as string).replace("twice", "2 times")),
    });
  });

  test("refuses what would become too long before it makes it", async () => {
    await using world = await openMemory();
    await world.memory.createBlock({ ...block, text: "a".repeat(900_000) });
    await expect(world.memory.replaceInBlock("it", "a", "b".repeat(900_000))).rejects.toMatchObject({
      code: "MEMORY_TOO_LONG",
      details: { chars: 810_000_000_000 },
    });
  });
});

describe("who wrote it, and whether it is trusted", () => {
  test("what an untrusted call writes makes the whole entry untrusted, for good", async () => {
    await using world = await openMemory({ trust: "untrusted" });
    const { memory, owner, connect } = world;
    expect(await memory.createBlock({ ...block, label: "new", trust: "trusted" })).toMatchObject({
      trust: "untrusted",
    });
    await owner.createBlock(block);
    expect(await memory.appendToBlock("it", "two")).toMatchObject({ trust: "untrusted" });
    const trusted = connect("a");
    expect(await trusted.updateBlockText("it", "three")).toMatchObject({ trust: "untrusted" });
    for (const change of [
      memory.describeBlock("other", { title: "Two" }),
      memory.supersedeBlock("other", { kind: "block", text: "two" }),
    ])
      await expect(change).rejects.toEqual(code("MEMORY_NOT_FOUND"));
    await owner.createBlock({ ...block, label: "other" });
    expect(await memory.describeBlock("other", { title: "Two" })).toMatchObject({ trust: "untrusted" });
  });

  test("a copy is trusted no more than what it is made of, and tells of it", async () => {
    await using world = await openMemory();
    const { memory } = world;
    const source = await memory.createBlock({ ...block, tier: "archival", trust: "untrusted" });
    const { loaded } = await memory.loadBlock("it", "copy");
    expect(loaded).toMatchObject({
      trust: "untrusted",
      author: { by: "agent:a", sources: [source.id] },
    });
  });
});

describe("changes at the same time", () => {
  test("all appends of one scope and of one that shares it arrive, each once", async () => {
    await using world = await openMemory();
    const { owner, memory, connect } = world;
    await owner.createBlock({ ...block, text: "start" });
    await owner.shareBlock("it", "b", "append");
    const other = connect("b");
    await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        (at % 2 === 0 ? memory : other).appendToBlock("it", `line ${at}`),
      ),
    );
    const { text } = await memory.getBlock("it");
    expect(text.split("\n").toSorted()).toEqual(
      ["start", ...Array.from({ length: 12 }, (_, at) => `line ${at}`)].toSorted(),
    );
  });

  test("what another changed first is read and checked again", async () => {
    await using world = await openMemory();
    const { owner, store, connect } = world;
    await owner.createBlock(block);
    let meddle = true;
    const meddling: MemoryStore = {
      ...bound(store),
      async edit(scope, edits, author) {
        if (meddle) await owner.setBlockPermission("it", "read_only");
        meddle = false;
        return store.edit(scope, edits, author);
      },
    };
    const late = connect("a", {}, meddling);
    await expect(late.appendToBlock("it", "two")).rejects.toEqual(code("MEMORY_DENIED"));
    expect(await owner.getBlock("it")).toMatchObject({ text: "one" });
  });

  test("after others were faster many times it is given up", async () => {
    await using world = await openMemory();
    const { owner, store, connect } = world;
    await owner.createBlock(block);
    let edits = 0;
    const busy: MemoryStore = {
      ...bound(store),
      async edit(scope, wanted, author) {
        await owner.appendToBlock("it", `faster ${edits++}`);
        return store.edit(scope, wanted, author);
      },
    };
    await expect(connect("a", {}, busy).updateBlockText("it", "late")).rejects.toEqual(
      code("MEMORY_CHANGED"),
    );
    expect(edits).toBe(8);
  });
});

function bound(store: MemoryStore): MemoryStore {
  return {
    edit: store.edit.bind(store),
    get: store.get.bind(store),
    list: store.list.bind(store),
    search: store.search.bind(store),
    history: store.history.bind(store),
    shares: store.shares.bind(store),
    persist: store.persist.bind(store),
  };
}

describe("sharing", () => {
  test("takes a person's yes, and gives no more than the entry itself allows", async () => {
    await using world = await openMemory();
    const { owner, memory, connect } = world;
    await owner.createBlock({ ...block, permission: "append" });
    await expect(memory.shareBlock("it", "b")).rejects.toEqual(code("MEMORY_CONSENT"));
    const yes = connect("a", { consents: () => true });
    await expect(yes.shareBlock("it", "b", "read_write")).rejects.toEqual(code("MEMORY_DENIED"));
    await expect(yes.shareBlock("it", "a")).rejects.toEqual(code("MEMORY_INVALID"));
    await yes.shareBlock("it", "b");
    expect(await memory.blockShares("it")).toMatchObject([{ scope: "b", permission: "append" }]);
    expect(await connect("b").getSharedBlock("it")).toMatchObject({ scope: "a", text: "one" });
    await memory.unshareBlock("it", "b");
    await expect(connect("b").getSharedBlock("it")).rejects.toEqual(code("MEMORY_NOT_FOUND"));
  });

  test.for(memoryPermissions.flatMap((own) => memoryPermissions.map((share) => ({ own, share }))))(
    "of $own as $share allows what the stricter of both does",
    async ({ own, share }) => {
      await using world = await openMemory();
      const { owner, store, connect } = world;
      const { id } = await owner.createBlock({ ...block, permission: own });
      // A store may hold such a share: the entry was made stricter after it.
      const edit = { do: "share_block", id, with: "b", permission: share } as const;
      await store.edit("a", [edit], { by: "owner:ada" });
      const strictest = memoryPermissions.find((one) => one === own || one === share);
      const other = connect("b");
      expect(await other.getBlock("it")).toMatchObject({ permission: strictest });
      const outcome = await other.appendToBlock("it", "two").then(
        ({ text }) => text,
        (error: { code: string }) => error.code,
      );
      const table: Readonly<Record<MemoryPermission, string>> = {
        read_only: "MEMORY_DENIED",
        partner: "MEMORY_CONSENT",
        human: "MEMORY_CONSENT",
        append: "one\ntwo",
        read_write: "one\ntwo",
        admin: "one\ntwo",
      };
      expect(outcome).toBe(table[strictest as MemoryPermission]);
      await expect(other.deleteBlock("it")).rejects.toEqual(code("MEMORY_NOT_OWNER"));
      await expect(other.shareBlock("it", "c")).rejects.toEqual(code("MEMORY_NOT_OWNER"));
    },
  );

  test("consent to one's own block is none to another's with the same label", async () => {
    await using world = await openMemory();
    const { owner, connect } = world;
    const shared = await owner.createBlock({ ...block, permission: "human" });
    await owner.shareBlock("it", "b", "human");
    const other = connect("b", { consents: (key) => key === "it" });
    await other.createBlock({ ...block, permission: "human" });
    expect(await other.appendToBlock("it", "two")).toMatchObject({ scope: "b" });
    await expect(other.appendToBlock(shared.id, "two")).rejects.toEqual(code("MEMORY_CONSENT"));
    const byId = connect("b", { consents: (key) => key === shared.id });
    expect(await byId.appendToBlock(shared.id, "two")).toMatchObject({ scope: "a" });
  });

  test("Memory.listSharedBlocks() lists what others shared, and nothing else", async () => {
    await using world = await openMemory();
    const { owner, connect } = world;
    await owner.createBlock(block);
    await owner.shareBlock("it", "b", "read_only");
    const other = connect("b");
    await other.createBlock({ ...block, label: "own" });
    const labels = (entries: readonly MemoryEntry[]) => entries.map(({ label }) => label);
    expect(labels((await other.listSharedBlocks()).entries)).toEqual(["it"]);
    await expect(other.getSharedBlock("own")).rejects.toEqual(code("MEMORY_INVALID"));
  });
});

test("Memory.supersedeBlock() leaves the old entry, which tells of the new one, and hands its label on", async () => {
  await using world = await openMemory();
  const { memory, owner } = world;
  const first = await memory.createBlock({ ...block, names: ["It"] });
  const fresh = { kind: "block", label: "it", text: "two", tier: "core" } as const;
  const { old, entry } = await memory.supersedeBlock("it", fresh);
  expect(entry).toMatchObject({ label: "it", text: "two", author: { sources: [first.id] } });
  expect(old).toMatchObject({ id: first.id, text: "one", label: undefined, supersededBy: entry.id });
  const again = await memory.supersedeBlock(entry.id, { ...fresh, label: "third", text: "three" });
  expect(again).toMatchObject({ old: { label: "it", supersededBy: again.entry.id } });
  const { entries } = await owner.listBlocks();
  expect(entries.map(({ id }) => id)).toEqual([again.entry.id]);
});

test("Memory.supersedeBlocks() tells several right at once, and nothing from outside what is from here", async () => {
  await using world = await openMemory();
  const { memory, connect } = world;
  await memory.createBlock({ ...block, permission: "admin" });
  await memory.createBlock({ ...block, label: "other" });
  const stranger = connect("a", { trust: "untrusted" });
  const fresh = { kind: "block", label: "other", text: "both", tier: "core" } as const;
  await expect(stranger.supersedeBlocks(["it", "other"], fresh)).rejects.toEqual(code("MEMORY_DENIED"));
  await expect(memory.supersedeBlocks(["it", "nobody"], fresh)).rejects.toEqual(code("MEMORY_NOT_FOUND"));
  const { old, entry } = await memory.supersedeBlocks(["it", "other"], fresh);
  expect(entry).toMatchObject({ label: "other", text: "both", permission: "read_write" });
  expect(old).toMatchObject([
    { label: "it", supersededBy: entry.id },
    { label: undefined, supersededBy: entry.id },
  ]);
});

test("what supersedes an entry, or is said of it, widens nothing that it allows", async () => {
  await using world = await openMemory({ consents: () => true });
  const { memory, owner } = world;
  await owner.createBlock({ ...block, permission: "human" });
  const fresh = { kind: "block", label: "it", text: "two", tier: "core" } as const;
  expect((await memory.supersedeBlock("it", fresh)).entry).toMatchObject({ permission: "human" });
  expect((await memory.supersedeBlock("it", { ...fresh, permission: "admin" })).entry).toMatchObject({
    permission: "human",
  });
  const sly = { title: "It", permission: "admin", tier: "core" } as const;
  expect(await memory.describeBlock("it", sly)).toMatchObject({ title: "It", permission: "human" });
  expect((await owner.supersedeBlock("it", { ...fresh, permission: "admin" })).entry).toMatchObject({
    permission: "admin",
  });
});

test("Memory.insertArchival() makes labels up that nothing has, also at one time", async () => {
  await using world = await openMemory();
  const { memory } = world;
  const made = await Promise.all(["one", "two", "three"].map((text) => memory.insertArchival({ text })));
  expect(made.map(({ label, tier, text }) => [label, tier, text])).toEqual([
    ["archival_1000", "archival", "one"],
    ["archival_1000_2", "archival", "two"],
    ["archival_1000_3", "archival", "three"],
  ]);
  await expect(memory.insertArchival({ text: "one", label: "archival_1000" })).rejects.toEqual(
    code("MEMORY_LABEL_TAKEN"),
  );
});
