import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import {
  addEntries,
  HandClock,
  openDatabase,
  vectorOfWords,
} from "../../../../../test/support/vector-world.ts";
import type { Embedder } from "../../../../search/index.ts";
import { openPackagedModel } from "../../../embeddings/packaged-model.ts";
import { MemoryVectors } from "./memory-vectors.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-pump-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** One process of several on the same file. */
async function openOn(path: string, model: Embedder) {
  const db = await openDatabase(path);
  const clock = new HandClock();
  const vectors = new MemoryVectors(db, { clock, embedder: async () => model });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= vectors.close().then(() => db.close());
    return closing;
  };
  onTestFinished(close);
  return { db, vectors, clock, close };
}

/** Does not answer what is asked of it before `answer` is called, and tells of what it is asked. */
class SlowModel implements Embedder {
  readonly id = "slow";
  readonly #asked: PromiseWithResolvers<void>[] = [];
  readonly #mayAnswer = Promise.withResolvers<void>();
  readonly #isSlow: (texts: readonly string[]) => boolean;

  constructor(isSlow: (texts: readonly string[]) => boolean) {
    this.#isSlow = isSlow;
  }

  readonly asked = (): Promise<void> => {
    const asked = Promise.withResolvers<void>();
    this.#asked.push(asked);
    return asked.promise;
  };

  readonly answer = (): void => this.#mayAnswer.resolve();

  async embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    if (this.#isSlow(texts)) {
      for (const asked of this.#asked.splice(0)) asked.resolve();
      await this.#mayAnswer.promise;
    }
    return texts.map((text) => vectorOfWords(text, 16));
  }
}

test("a process that is closed before its batch is done leaves the work to the next at once", async () => {
  const path = join(folder, "short.db");
  const first = await openOn(path, new SlowModel(() => false));
  await addEntries(first.db, first.vectors, [{ text: "tea" }]);
  await first.vectors.ready();
  await first.close();

  const model = new SlowModel(() => true);
  const short = await openOn(path, model);
  const asked = model.asked();
  await addEntries(short.db, short.vectors, [{ text: "chess" }]);
  await asked;
  await short.close();

  const next = await openOn(path, new SlowModel(() => false));
  expect(await next.vectors.progress()).toEqual({ made: 1, of: 2 });
  expect(await next.vectors.catchUp("ada")).toMatchObject({ count: 0 });
  expect((await (await next.vectors.embedMeaning("chess"))?.nearest("ada", { limit: 5 }))?.size).toBe(2);
});

test("close() keeps a batch that is done soon after, and gives up one that is not", async () => {
  const path = join(folder, "grace.db");
  const model = new SlowModel((texts) => texts.includes("chess"));
  const here = await openOn(path, model);
  await addEntries(here.db, here.vectors, [{ text: "tea" }]);
  await here.vectors.ready();
  const asked = model.asked();
  await addEntries(here.db, here.vectors, [{ text: "chess" }]);
  await asked;
  const closing = here.close();
  model.answer();
  await closing;

  const silent = new SlowModel((texts) => texts.includes("opera"));
  const there = await openOn(path, silent);
  expect(await there.vectors.progress()).toEqual({ made: 2, of: 2 });
  await addEntries(there.db, there.vectors, [{ text: "maps" }]);
  await there.vectors.ready();
  const askedAgain = silent.asked();
  await addEntries(there.db, there.vectors, [{ text: "opera" }]);
  await askedAgain;
  const closed = there.close();
  there.clock.move(200);
  await closed;
  const last = await openOn(path, new SlowModel(() => false));
  expect(await last.vectors.progress()).toEqual({ made: 3, of: 4 });
});

test("of a batch that close() cuts off, what is embedded is kept, and the rest is embedded later", async () => {
  const path = join(folder, "part.db");
  const asked = Promise.withResolvers<void>();
  const model: Embedder = {
    id: "slow",
    embed: async (texts) => {
      if (texts.length > 1) throw new Error("One at a time");
      if (texts[0] === "chess") {
        asked.resolve();
        return new Promise<never>(() => {});
      }
      return texts.map((text) => vectorOfWords(text, 16));
    },
  };
  const short = await openOn(path, model);
  await addEntries(short.db, short.vectors, [{ text: "tea" }, { text: "chess" }, { text: "opera" }]);
  await asked.promise;
  await short.close();
  const next = await openOn(path, new SlowModel(() => false));
  expect(await next.vectors.progress()).toEqual({ made: 1, of: 3 });
  await next.vectors.ready();
  expect((await (await next.vectors.embedMeaning("chess"))?.nearest("ada", { limit: 5 }))?.size).toBe(3);
});

test("a store with vectors of the former offline model opens, and is found by the present one", async () => {
  const path = join(folder, "former.db");
  const former = await openOn(path, {
    id: "energetic-ai-en/0.2.0/1000",
    embed: async (texts) => texts.map((text) => vectorOfWords(text, 512)),
  });
  await addEntries(former.db, former.vectors, [
    { text: "The user's dog is afraid of fireworks" },
    { text: "用户对花生过敏" },
    { text: "The meeting is at noon" },
  ]);
  await former.vectors.ready();
  await former.close();
  const present = openPackagedModel();
  onTestFinished(() => present.close());
  const { vectors } = await openOn(path, present);
  await vectors.ready();
  expect(await vectors.progress()).toEqual({ made: 3, of: 3 });
  const found = async (query: string) => [
    ...((await (await vectors.embedMeaning(query))?.nearest("ada", { limit: 1 }))?.keys() ?? []),
  ];
  expect(await found("Which animals do we keep?")).toEqual([1]);
  expect(await found("我对什么药过敏？")).toEqual([2]);
});
