import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  addEntries,
  HandClock,
  openDatabase,
  vectorOfWords,
  WordEmbedder,
} from "../../../../../test/support/vector-world.ts";
import type { TypedDatabase } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";
import { CodeMemory } from "./code-memory.ts";
import { createJsKernel } from "./kernel/js-kernel.ts";
import { MemoryVectors, type MemoryVectorsOptions } from "./memory-vectors.ts";
import { toUnit } from "./small-vector.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-vectors-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface WorldOptions extends Partial<MemoryVectorsOptions> {
  readonly db?: TypedDatabase<Tables>;
  readonly model?: WordEmbedder;
}

async function world({ db, model = new WordEmbedder(), ...options }: WorldOptions = {}) {
  const [database, clock] = [db ?? (await openDatabase()), new HandClock()];
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const vectors = new MemoryVectors(database, { clock, embedder: async () => model, onError, ...options });
  return { db: database, clock, errors, vectors, model };
}

const topics = ["tea", "chess", "sailing", "opera", "bread", "maps", "clocks", "bees"];
const someTexts = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    text: `${topics[at % topics.length]} ${topics[(at >> 3) % topics.length]} number${at}`,
  }));

async function nearest(vectors: MemoryVectors, query: string, options: object = {}, scope = "ada") {
  const meaning = await vectors.embedMeaning(query);
  return meaning?.nearest(scope, { limit: 10, ...options });
}

test("nearest() gives the nearest entries with their cosines, of many as of few", async () => {
  const { db, vectors, errors } = await world();
  const texts = someTexts(1500);
  const seqs = await addEntries(db, vectors, texts);
  await vectors.ready();
  expect(await vectors.progress()).toEqual({ made: 1500, of: 1500 });
  const query = toUnit(vectorOfWords("bees opera number1203", 64));
  const exact = texts
    .map(({ text }, at) => {
      const unit = toUnit(vectorOfWords(text, 64));
      return {
        seq: seqs[at] as number,
        cosine: unit.reduce((sum, each, i) => sum + each * (query[i] ?? 0), 0),
      };
    })
    .sort((one, other) => other.cosine - one.cosine);
  const found = await nearest(vectors, "bees opera number1203");
  const best = exact.slice(0, 10);
  expect([...(found ?? [])][0]?.[0]).toBe(best[0]?.seq);
  for (const { seq, cosine } of best.slice(0, 5)) expect(found?.get(seq)).toBeCloseTo(cosine, 2);
  const cosines = [...(found?.values() ?? [])];
  expect(cosines).toEqual([...cosines].sort((one, other) => other - one));
  const last = exact.at(-1) as { seq: number; cosine: number };
  const meaning = await vectors.embedMeaning("bees opera number1203");
  const told = await meaning?.cosines([last.seq, 999_999]);
  expect([...(told?.keys() ?? [])]).toEqual([last.seq]);
  expect(told?.get(last.seq)).toBeCloseTo(last.cosine, 2);
  expect(errors).toEqual([]);
});

test("nearest() leaves out what does not count before it ranks, however near that is", async () => {
  const { db, vectors } = await world();
  const near = await addEntries(
    db,
    vectors,
    Array.from({ length: 1100 }, () => ({ text: "tea time" })),
  );
  const far = await addEntries(db, vectors, [{ text: "tea opera" }, { text: "bread" }]);
  await vectors.ready();
  const isFar = async (seqs: readonly number[]) => new Set(seqs.filter((seq) => far.includes(seq)));
  expect([...((await nearest(vectors, "tea time", { among: isFar })) ?? []).keys()]).toEqual(far);
  expect([...((await nearest(vectors, "tea time", { among: new Set(far) })) ?? []).keys()]).toEqual(far);
  const most = new Set([...near.slice(300), far[1] as number]);
  const found = await nearest(vectors, "bread", { among: most });
  expect([...(found ?? []).keys()][0]).toBe(far[1]);
  expect([...(found ?? []).keys()].every((seq) => most.has(seq))).toBe(true);
});

test("nearest() finds a scope's own entries and those that others share with it, and no others", async () => {
  const { db, vectors } = await world();
  const [own] = await addEntries(db, vectors, [{ text: "tea at four" }]);
  const [lent, kept] = await addEntries(db, vectors, [
    { text: "tea at five", scope: "bob" },
    { text: "tea at six", scope: "bob" },
  ]);
  await db.write(async (tx) => {
    const share = { scope: "ada", entry_seq: lent as number, permission: "read_only", shared_at: 0 } as const;
    await tx.insertInto("memory_share").values(share).execute();
  });
  await vectors.ready();
  expect(new Set((await nearest(vectors, "tea"))?.keys())).toEqual(new Set([own, lent]));
  expect(new Set((await nearest(vectors, "tea", {}, "bob"))?.keys())).toEqual(new Set([lent, kept]));
  expect((await nearest(vectors, "tea", {}, "eve"))?.size).toBe(0);
  const every = async (seqs: readonly number[]) => new Set(seqs);
  expect(new Set((await nearest(vectors, "tea", { among: every }))?.keys())).toEqual(new Set([own, lent]));
});

test("nearest() finds what is shared where much of it is", async () => {
  const { db, vectors } = await world();
  const lent = await addEntries(
    db,
    vectors,
    someTexts(400).map((row) => ({ ...row, scope: "bob" })),
  );
  const [kept] = await addEntries(db, vectors, [{ text: "tea chess", scope: "bob" }]);
  await db.write(async (tx) => {
    const share = { scope: "ada", permission: "read_only", shared_at: 0 } as const;
    const rows = lent.map((entry_seq) => ({ ...share, entry_seq }));
    await tx.insertInto("memory_share").values(rows).execute();
  });
  await vectors.ready();
  const every = async (seqs: readonly number[]) => new Set(seqs);
  for (const among of [
    undefined,
    every,
    new Set([...lent, ...Array.from({ length: 1000 }, (_, at) => -at)]),
  ]) {
    const found = await nearest(vectors, "tea chess", { among });
    expect(found?.size).toBe(10);
    expect(found?.has(kept as number)).toBe(false);
  }
  expect((await nearest(vectors, "tea chess", {}, "bob"))?.has(kept as number)).toBe(true);
});

test("a turn is embedded with the turn before it and who says it; an entry with its title and names", async () => {
  const { db, vectors, model } = await world();
  const turn = { session: "s", kind: "message" };
  await addEntries(db, vectors, [
    { ...turn, position: 1, speaker: "Ada", text: `Where do you live? ${"x".repeat(1000)}` },
    { ...turn, position: 2, speaker: "Bob", text: "In Oslo." },
    { ...turn, position: 3, speaker: "Eve", text: "Gone.", deleted_at: 5 },
    { ...turn, position: 4, speaker: "Ada", text: "Nice!" },
    { text: "Likes tea", title: "Bob's drinks", names: "\nBob\nRobert\n" },
    { text: "   " },
  ]);
  await vectors.ready();
  expect(model.texts.slice(1)).toEqual([
    `Where do you live? ${"x".repeat(281)}\nBob: In Oslo.`,
    "In Oslo.\nEve: Gone.",
    "In Oslo.\nAda: Nice!",
    "Bob's drinks, Bob, Robert\nLikes tea",
  ]);
  expect(await vectors.progress()).toEqual({ made: 6, of: 6 });
});

test("a text that changed is embedded again, and one that was erased is forgotten", async () => {
  const { db, vectors } = await world();
  const [one, two] = await addEntries(db, vectors, [{ text: "tea" }, { text: "chess" }]);
  await vectors.ready();
  await db.write(async (tx) => {
    await tx
      .updateTable("memory_entry")
      .set({ text: "opera" })
      .where("seq", "=", one as number)
      .execute();
    await vectors.noteTexts(tx, [one as number]);
    await vectors.forgetTexts(tx, "ada", [two as number]);
    await tx
      .deleteFrom("memory_entry")
      .where("seq", "=", two as number)
      .execute();
  });
  await vectors.ready();
  const found = await nearest(vectors, "opera");
  expect([...(found ?? [])]).toEqual([[one, expect.closeTo(1, 2)]]);
  const tables = await db.queries();
  expect(await tables.selectFrom("memory_vector").select("id").execute()).toHaveLength(1);
  expect(await tables.selectFrom("memory_code").select("count").execute()).toEqual([{ count: 1 }]);
  await db.write(async (tx) => {
    await tx
      .updateTable("memory_entry")
      .set({ text: "" })
      .where("seq", "=", one as number)
      .execute();
    await vectors.noteTexts(tx, [one as number]);
  });
  await vectors.ready();
  expect(await nearest(vectors, "opera")).toBeUndefined();
});

test("codes that another process changes are read again by the next search", async () => {
  const path = join(folder, "two.db");
  const here = await world({ db: await openDatabase(path) });
  const there = await world({ db: await openDatabase(path) });
  await addEntries(there.db, there.vectors, [{ text: "tea" }]);
  await there.vectors.ready();
  expect((await nearest(here.vectors, "tea chess"))?.size).toBe(1);
  const [, chess] = await addEntries(there.db, there.vectors, [{ text: "opera" }, { text: "chess" }]);
  await there.vectors.ready();
  expect([...((await nearest(here.vectors, "chess")) ?? []).keys()][0]).toBe(chess);
  await there.db.write((tx) => there.vectors.forgetTexts(tx, "ada", [chess as number]));
  expect((await nearest(here.vectors, "chess"))?.size).toBe(2);
  for (const { vectors, db } of [here, there]) {
    await vectors.close();
    await db.close();
  }
});

test("what was left to embed when the store was closed is done when it is open again", async () => {
  const db = await openDatabase();
  const first = await world({ db });
  await addEntries(db, first.vectors, someTexts(100));
  await first.vectors.close();
  const { made } = await first.vectors.progress();
  expect(made).toBeLessThan(100);
  const second = await world({ db });
  await second.vectors.ready();
  expect(await second.vectors.progress()).toEqual({ made: 100, of: 100 });
  expect(new Set(second.model.texts).size).toBe(second.model.texts.length);
});

test("of another model all vectors are made anew, and those of the former go a month later", async () => {
  const db = await openDatabase();
  const former = await world({ db, model: new WordEmbedder("former", 32) });
  await addEntries(db, former.vectors, someTexts(20));
  await former.vectors.ready();
  const latter = await world({ db, model: new WordEmbedder("latter", 96) });
  expect(await nearest(latter.vectors, "tea")).toBeUndefined();
  await latter.vectors.ready();
  expect((await nearest(latter.vectors, "tea"))?.size).toBe(10);
  expect((await nearest(former.vectors, "tea"))?.size).toBe(10);
  const later = await world({ db, model: new WordEmbedder("latter", 96) });
  later.clock.move(31 * 86_400_000);
  await later.vectors.ready();
  const tables = await db.queries();
  expect(await tables.selectFrom("memory_model").select("name").execute()).toEqual([{ name: "latter" }]);
  expect(await tables.selectFrom("memory_vector").select("id").execute()).toHaveLength(20);
  expect(await tables.selectFrom("memory_code").select("count").execute()).toEqual([{ count: 20 }]);
  expect((await nearest(later.vectors, "tea"))?.size).toBe(10);
});

test("a model that fails is told of once; searches go on without it, and it is tried again later", async () => {
  const { db, vectors, model, clock, errors } = await world();
  model.refuse = () => new Error("out of memory");
  await addEntries(db, vectors, [{ text: "tea" }]);
  await vectors.ready();
  await addEntries(db, vectors, [{ text: "chess" }]);
  await vectors.ready();
  expect(await nearest(vectors, "tea")).toBeUndefined();
  const told = "What is remembered is found by its words alone until it works again";
  expect(errors).toEqual([
    new Error(`${told}: the sentence model failed: out of memory`, { cause: new Error("out of memory") }),
  ]);
  expect(vectors.fault).toBe("the sentence model failed: out of memory");
  model.refuse = undefined;
  clock.move(60_000);
  await vectors.ready();
  expect((await nearest(vectors, "tea"))?.size).toBe(2);
  expect(vectors.fault).toBeUndefined();
  model.refuse = () => new Error("out of memory");
  expect(await nearest(vectors, "another query")).toBeUndefined();
  expect((await nearest(vectors, "tea"))?.size).toBe(2);
});

test("a text that the model can't take does not keep the others from it", async () => {
  const { db, vectors, model, errors } = await world();
  model.refuse = (texts) => (texts.some((text) => text.includes("poison")) ? new Error("400") : undefined);
  await addEntries(db, vectors, [{ text: "tea" }, { text: "poison" }, { text: "chess" }]);
  await vectors.ready();
  expect((await nearest(vectors, "chess"))?.size).toBe(2);
  expect(await vectors.progress()).toEqual({ made: 3, of: 3 });
  const refused = "The sentence model can't take 1 text of memory, found by words alone now: 400";
  expect(errors).toEqual([new Error(refused, { cause: new Error("400") })]);
  expect(vectors.fault).toBeUndefined();
});

test("a model that gives other numbers than before is refused by its name", async () => {
  const db = await openDatabase();
  const before = await world({ db, model: new WordEmbedder("m", 32) });
  await addEntries(db, before.vectors, [{ text: "tea" }]);
  await before.vectors.ready();
  const after = await world({ db, model: new WordEmbedder("m", 64) });
  expect(await nearest(after.vectors, "tea")).toBeUndefined();
  await addEntries(db, after.vectors, [{ text: "chess" }]);
  await after.vectors.ready();
  expect(after.errors.map(String)).toContainEqual(
    'RangeError: the model "m" gave 64 numbers a text, and 32 before: another model needs another name',
  );
  await before.vectors.ready();
  expect((await nearest(before.vectors, "tea"))?.size).toBe(2);
});

test("of two processes one embeds at a time, and the other goes on where it died", async () => {
  const path = join(folder, "claim.db");
  const here = await world({ db: await openDatabase(path) });
  const there = await world({ db: await openDatabase(path) });
  await addEntries(here.db, here.vectors, [{ text: "tea" }]);
  await here.vectors.ready();
  await here.db.write(async (tx) => {
    const worker_until = here.clock.now() + 60_000;
    await tx.updateTable("memory_model").set({ worker: "dead", worker_until }).execute();
  });
  await addEntries(there.db, there.vectors, [{ text: "chess" }]);
  await there.vectors.ready();
  expect(there.model.texts).toEqual([]);
  there.clock.move(61_000);
  await there.vectors.ready();
  expect(there.model.texts).toEqual(["chess"]);
  const model = await (await there.db.queries())
    .selectFrom("memory_model")
    .selectAll()
    .executeTakeFirstOrThrow();
  expect(model.worker).toBeNull();
  for (const { vectors, db } of [here, there]) {
    await vectors.close();
    await db.close();
  }
});

test("close() ends a model that never answers, and a query waits two seconds for it at most", async () => {
  const asked = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  const background = { id: "silent", embed: () => never };
  const silent = {
    id: "silent",
    background,
    embed: () => {
      asked.resolve();
      return never;
    },
  };
  const { db, vectors, clock } = await world({ embedder: async () => silent });
  const seqs = await addEntries(db, vectors, [{ text: "tea" }]);
  await db.write(async (tx) => {
    const row = { name: "silent", dimension: 8, embedded: 0, vectors: 1, used_at: 0 };
    await tx
      .insertInto("memory_model")
      .values({ id: 0, ...row, worker: null, worker_until: null })
      .execute();
  });
  const meaning = vectors.embedMeaning("tea");
  const cut = AbortSignal.abort(new Error("The user left"));
  await expect(vectors.embedMeaning("tea", cut)).rejects.toThrow("The user left");
  await asked.promise;
  clock.move(2000);
  expect(await meaning).toBeUndefined();
  expect(vectors.fault).toBe("the sentence model failed: it gave no vector of the query within 2 seconds");
  await vectors.close();
  expect(await vectors.progress()).toEqual({ made: 0, of: seqs.length });
});

test("without a model nothing is embedded, and what is to be is known once there is one", async () => {
  const { db, vectors } = await world({ embedder: undefined });
  await addEntries(db, vectors, [{ text: "tea" }]);
  await vectors.ready();
  expect(await nearest(vectors, "tea")).toBeUndefined();
  expect(await vectors.catchUp("ada")).toBeUndefined();
  expect(await vectors.progress()).toEqual({ made: 0, of: 1 });
  const later = await world({ db });
  await later.vectors.ready();
  expect((await nearest(later.vectors, "tea"))?.size).toBe(1);
});

test("similar() gives what says nearly the same", async () => {
  const { db, vectors } = await world();
  const [same, near] = await addEntries(db, vectors, [
    { text: "Ada drinks tea" },
    { text: "Ada drinks green tea" },
    { text: "Bob plays chess" },
  ]);
  await vectors.ready();
  const found = await vectors.similar("ada", "Ada drinks tea", { atLeast: 0.7, limit: 5 });
  expect([...(found ?? []).keys()]).toEqual([same, near]);
  expect(await vectors.similar("ada", "quite other", { atLeast: 0.85, limit: 5 })).toEqual(new Map());
});

test("codes stay within their bound, and searches find the same with few of them, and without WebAssembly", async () => {
  const memory = new CodeMemory();
  const { db, vectors } = await world({ maxCodeBytes: 2 * 65_536, codeMemory: memory });
  for (const scope of topics) {
    const texts = someTexts(40).map(({ text }) => ({ text: `${scope} ${text}`, scope }));
    await addEntries(db, vectors, texts);
  }
  await vectors.ready();
  const plain = new MemoryVectors(db, {
    clock: new HandClock(),
    embedder: async () => new WordEmbedder(),
    codeMemory: new CodeMemory(createJsKernel()),
  });
  for (let round = 0; round < 2; round++) {
    for (const scope of topics) {
      const found = await nearest(vectors, "bread bees", {}, scope);
      expect(found?.size).toBe(10);
      expect([...(found ?? [])]).toEqual([...((await nearest(plain, "bread bees", {}, scope)) ?? [])]);
    }
  }
  expect(memory.kernel.kind).toBe("wasm");
  expect(memory.pagesInUse).toBe(2);
});
