import { type Kysely, sql, type Transaction } from "kysely";
import { prepared, type TypedDatabase } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";
import { countCodeBytes } from "./sign-codes.ts";
import { mostModels } from "./vector-id.ts";
import type { MemoryModelRow } from "./vector-tables.ts";

/** A sentence model, as the store knows it. */
export interface MemoryModel {
  readonly id: number;
  /** 0: no vector of it was seen yet. */
  readonly dimension: number;
  /** Bytes of a code. */
  readonly codeBytes: number;
  /** Up to which number the texts are embedded. */
  readonly embedded: number;
  /** How many there are. */
  readonly vectors: number;
  readonly usedAt: number;
  readonly worker: string | null;
  readonly workerUntil: number;
}

/** Codes that long, their distances and what is found fill the scratch page. */
const longestVector = 8192;
/** Uses closer together than this are one. */
const useMs = 86_400_000;
const unusedMs = 30 * useMs;
const vectorsAtOnce = 5000;

/** Undefined: it has made no vector yet. */
export async function findModel(db: Kysely<Tables>, name: string): Promise<MemoryModel | undefined> {
  const [row] = await selectModel(db, 1, [name]);
  return row === undefined ? undefined : toModel(row);
}

const selectModel = prepared((db: Kysely<Tables>) =>
  db.selectFrom("memory_model").selectAll().where("name", "=", ""),
);

export async function allModels(db: Kysely<Tables>): Promise<readonly MemoryModel[]> {
  return (await db.selectFrom("memory_model").selectAll().execute()).map(toModel);
}

/**
 * Makes the model known, with how many numbers its vectors have where that is known now.
 *
 * @throws {RangeError} if they are too many, or others than they were
 */
export async function openModel(
  tx: Transaction<Tables>,
  { name, dimension = 0, now }: { name: string; dimension: number | undefined; now: number },
): Promise<MemoryModel> {
  if (dimension > longestVector) {
    throw new RangeError(
      `the model "${name}" gives ${dimension} numbers a text: at most ${longestVector} can be kept`,
    );
  }
  const known = (await selectModel(tx, 1, [name]))[0] ?? (await addModel(tx, name, now));
  if (dimension === 0 || known.dimension === dimension) return toModel(known);
  if (known.dimension !== 0) {
    throw new RangeError(
      `the model "${name}" gave ${dimension} numbers a text, and ${known.dimension} before: another model needs another name`,
    );
  }
  await tx.updateTable("memory_model").set({ dimension }).where("id", "=", known.id).execute();
  return toModel({ ...known, dimension });
}

async function addModel(tx: Transaction<Tables>, name: string, now: number): Promise<MemoryModelRow> {
  const taken = new Set((await allModels(tx)).map(({ id }) => id));
  let id = 0;
  while (taken.has(id)) id++;
  if (id >= mostModels) {
    throw new RangeError(
      `${mostModels} models made vectors of this store's memory: one that is not used for 30 days makes room`,
    );
  }
  const none = { embedded: 0, vectors: 0, worker: null, worker_until: null };
  const row = { id, name, dimension: 0, used_at: now, ...none };
  return tx.insertInto("memory_model").values(row).returningAll().executeTakeFirstOrThrow();
}

/** Takes or keeps the work of embedding; returns for how many milliseconds another has it, 0 for none. */
export async function claimModel(
  tx: Transaction<Tables>,
  id: number,
  { worker, now, forMs }: { worker: string; now: number; forMs: number },
): Promise<number> {
  const [row] = await selectWorker(tx, 1, [id]);
  const until = row?.worker_until ?? 0;
  // A clock that was put back must not leave it to one who is gone.
  if (row?.worker !== worker && until > now && until <= now + forMs) return until - now;
  await setWorker(tx, 1, [worker, now + forMs, id]);
  return 0;
}

const selectWorker = prepared((db: Kysely<Tables>) =>
  db.selectFrom("memory_model").select(["worker", "worker_until"]).where("id", "=", 0),
);

const setWorker = prepared((db: Kysely<Tables>) =>
  db.updateTable("memory_model").set({ worker: "", worker_until: 0 }).where("id", "=", 0),
);

/** Leaves the work of embedding to whoever comes next. */
export async function releaseModel(tx: Transaction<Tables>, id: number, worker: string): Promise<void> {
  await clearWorker(tx, 1, [null, null, id, worker]);
}

const clearWorker = prepared((db: Kysely<Tables>) =>
  db
    .updateTable("memory_model")
    .set({ worker: null, worker_until: null })
    .where("id", "=", 0)
    .where("worker", "=", ""),
);

/** Notes up to which number the texts are embedded. */
export async function setEmbedded(tx: Transaction<Tables>, id: number, embedded: number): Promise<void> {
  await updateEmbedded(tx, 1, [embedded, id]);
}

const updateEmbedded = prepared((db: Kysely<Tables>) =>
  db.updateTable("memory_model").set({ embedded: 0 }).where("id", "=", 0),
);

/** Notes that the model is in use, and forgets the vectors of those that were not for a month. */
export async function tidyModels(db: TypedDatabase<Tables>, used: MemoryModel, now: number): Promise<void> {
  if (used.usedAt < now - useMs) {
    await db.write(async (tx) => {
      await tx.updateTable("memory_model").set({ used_at: now }).where("id", "=", used.id).execute();
    });
  }
  for (const { id, usedAt } of await allModels(await db.queries())) {
    if (id !== used.id && usedAt < now - unusedMs) await forgetModel(db, id);
  }
}

/** Some thousand vectors at a time: others need the database too. */
async function forgetModel(db: TypedDatabase<Tables>, id: number): Promise<void> {
  for (let from: number | undefined = 0; from !== undefined; ) {
    const start: number = from;
    from = await db.write(async (tx) => {
      const vectors = tx.selectFrom("memory_vector").select("id").where("id", ">=", start).orderBy("id");
      const next = await vectors.offset(vectorsAtOnce).limit(1).executeTakeFirst();
      let gone = tx
        .deleteFrom("memory_vector")
        .where("id", ">=", start)
        .where((row) => sql<boolean>`${row.ref("id")} % ${mostModels} = ${id}`);
      if (next !== undefined) gone = gone.where("id", "<", next.id);
      await gone.execute();
      return next?.id;
    });
  }
  await db.write(async (tx) => {
    const sets = tx.selectFrom("memory_code_set").select("id").where("model_id", "=", id);
    await tx.deleteFrom("memory_code").where("set_id", "in", sets).execute();
    await tx.deleteFrom("memory_code_set").where("model_id", "=", id).execute();
    await tx.deleteFrom("memory_model").where("id", "=", id).execute();
  });
}

function toModel(row: MemoryModelRow): MemoryModel {
  const { id, dimension, embedded, vectors, worker } = row;
  return {
    id,
    dimension,
    codeBytes: countCodeBytes(dimension),
    embedded,
    vectors,
    usedAt: row.used_at,
    worker,
    workerUntil: row.worker_until ?? 0,
  };
}
