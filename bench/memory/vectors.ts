// Vectors of memory: how exactly and how fast the nearest are found. `node bench/memory/vectors.ts [rows] [rows a scope]`
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storeSchema } from "../../src/app/store/index.ts";
import { systemClock } from "../../src/base/index.ts";
import type { TypedDatabase } from "../../src/db/index.ts";
import { openSqlite } from "../../src/db/sqlite/sqlite.ts";
import type { Tables } from "../../src/modules/memory/store/tables.ts";
import type { Meaning } from "../../src/modules/memory/store/vectors/meaning.ts";
import { openModel } from "../../src/modules/memory/store/vectors/memory-models.ts";
import { MemoryVectors } from "../../src/modules/memory/store/vectors/memory-vectors.ts";
import { putVectors } from "../../src/modules/memory/store/vectors/stored-vectors.ts";
import { clusteredVectors } from "./clustered-vectors.ts";

const [rows = 100_000, rowsPerScope = rows] = process.argv.slice(2).map(Number);
const dimension = 512;
const questions = 20;
const top = 10;

const folder = mkdtempSync(join(tmpdir(), "haft-bench-"));
const path = join(folder, "store.db");
const options = {
  path,
  schema: storeSchema,
  durability: "normal",
  clock: systemClock,
  busyTimeoutMs: 10_000,
} as const;
const makeVector = clusteredVectors(dimension);
const toScope = (seq: number) => `scope-${Math.floor((seq - 1) / rowsPerScope)}`;
const queries = Array.from({ length: questions }, (_, at) => makeVector(rows + 1 + at));
const embedder = {
  id: "bench",
  embed: async (texts: readonly string[]) =>
    texts.map((text) => queries[Number(text)] ?? new Float32Array(dimension)),
};

const cpuMs = () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
const print = (name: string, value: number, unit: string) =>
  console.log(`${name.padEnd(46)}${value.toFixed(2).padStart(10)} ${unit}`);

/** The nearest of the query's scope, exactly. */
const exact: Map<number, number>[] = queries.map(() => new Map());
const worst = queries.map(() => -1);
{
  const db: TypedDatabase<Tables> = await openSqlite(options);
  const from = cpuMs();
  let comparing = 0;
  for (let start = 1; start <= rows; start += 1000) {
    const some = Array.from({ length: Math.min(1000, rows - start + 1) }, (_, at) => ({
      seq: start + at,
      scope: toScope(start + at),
      unit: makeVector(start + at),
    }));
    const before = cpuMs();
    for (const { seq, scope, unit } of some) {
      for (const [at, query] of queries.entries()) {
        if (scope !== toScope(1 + ((at * 7919) % rows))) continue;
        keepBest(at, seq, dot(query, unit));
      }
    }
    comparing += cpuMs() - before;
    await db.write(async (tx) => {
      const model = await openModel(tx, { name: "bench", dimension, now: 0 });
      await putVectors(tx, model, some);
    });
  }
  print("keeping one vector (with making it up)", (cpuMs() - from - comparing) / rows, "CPU-ms");
  await db.close();
}
print("size", statSync(path).size / rows, "bytes a row");

const opening = performance.now();
const db: TypedDatabase<Tables> = await openSqlite(options);
print("open", performance.now() - opening, "ms");
const vectors = new MemoryVectors(db, { clock: systemClock, embedder: async () => embedder });
const memoryBefore = process.memoryUsage().rss;
const first = cpuMs();
await ask(0);
print("first search (loads the codes)", cpuMs() - first, "CPU-ms");
print("memory of the codes", (process.memoryUsage().rss - memoryBefore) / 1024 ** 2, "MiB");
for (let at = 1; at < 10; at++) await ask(at);
let found = 0;
let best = Number.POSITIVE_INFINITY;
const before = cpuMs();
for (let at = 0; at < questions; at++) {
  const start = cpuMs();
  const nearest = await ask(at);
  best = Math.min(best, cpuMs() - start);
  found +=
    [...nearest.keys()].filter((seq) => exact[at]?.has(seq)).length / Math.min(top, exact[at]?.size ?? top);
}
print("search", (cpuMs() - before) / questions, "CPU-ms");
print("search, the fastest", best, "CPU-ms");
print(`recall@${top}`, found / questions, "");
await vectors.close();
await db.close();
rmSync(folder, { recursive: true });

async function ask(at: number): Promise<ReadonlyMap<number, number>> {
  const meaning = (await vectors.embedMeaning(String(at))) as Meaning;
  return meaning.nearest(toScope(1 + ((at * 7919) % rows)), { limit: top });
}

function keepBest(at: number, seq: number, cosine: number): void {
  const kept = exact[at] as Map<number, number>;
  if (kept.size >= top && cosine <= (worst[at] as number)) return;
  kept.set(seq, cosine);
  if (kept.size > top) {
    const [lowest] = [...kept].sort(([, one], [, other]) => one - other);
    kept.delete(lowest?.[0] as number);
  }
  worst[at] = Math.min(...kept.values());
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum;
}
