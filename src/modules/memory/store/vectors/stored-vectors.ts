import type { Kysely, Transaction } from "kysely";
import { filledUp, prepared, splitParts } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";

import { CodeSetWriter } from "./code-set-writer.ts";
import type { MemoryModel } from "./memory-models.ts";
import { inParts } from "./parts.ts";
import { signCode } from "./sign-codes.ts";
import { type SmallVector, toSmall } from "./small-vector.ts";
import { toEntrySeq, vectorId, vectorIds } from "./vector-id.ts";

export interface EntryVector {
  readonly seq: number;
  readonly scope: string;
  /** A vector of length 1. */
  readonly unit: Float32Array;
}

/** Those there are. */
export async function readVectors(
  db: Kysely<Tables>,
  modelId: number,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, SmallVector>> {
  const found = new Map<number, SmallVector>();
  for (const some of inParts(seqs)) {
    const ids = filledUp(vectorIds(modelId, some), step, -1);
    for (const { id, scale, vector } of await selectVectors(db, ids.length, ids))
      found.set(toEntrySeq(id), { scale, numbers: vector });
  }
  return found;
}

/** Vectors are asked for in multiples of so many. */
const step = 64;

const selectVectors = prepared((db: Kysely<Tables>, size) =>
  db
    .selectFrom("memory_vector")
    .select(["id", "scale", "vector"])
    .where(
      "id",
      "in",
      Array.from({ length: size }, () => 0),
    ),
);

/** Keeps vectors and their codes; of an entry that has one, the new one. */
export async function putVectors(
  tx: Transaction<Tables>,
  model: MemoryModel,
  vectors: readonly EntryVector[],
): Promise<void> {
  const chunks = await readChunks(
    tx,
    model.id,
    vectors.map(({ seq }) => seq),
  );
  for (const [scope, some] of Map.groupBy(vectors, ({ scope }) => scope)) {
    const codes = await CodeSetWriter.open(tx, model, scope);
    const rows: (readonly unknown[])[] = [];
    for (const { seq, unit } of some) {
      const code = signCode(unit);
      const known = chunks.get(seq);
      const stays = known !== undefined && (await codes.replace(seq, code, known));
      const chunk = stays ? known : await codes.add(seq, code);
      const { scale, numbers } = toSmall(unit);
      rows.push([vectorId(model.id, seq), chunk, scale, numbers]);
    }
    for (const part of splitParts(rows)) await putRows(tx, part.length, part.flat());
    await codes.save();
  }
  const added = vectors.filter(({ seq }) => !chunks.has(seq)).length;
  await countVectors(tx, model.id, added);
}

const putRows = prepared((db: Kysely<Tables>, size) => {
  const vector = new Uint8Array();
  return db
    .insertInto("memory_vector")
    .values(Array.from({ length: size }, () => ({ id: 0, chunk: 0, scale: 0, vector })))
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet((row) => ({
        chunk: row.ref("excluded.chunk"),
        scale: row.ref("excluded.scale"),
        vector: row.ref("excluded.vector"),
      })),
    );
});

/** Forgets vectors and their codes. */
export async function dropVectors(
  tx: Transaction<Tables>,
  model: MemoryModel,
  { scope, seqs }: { readonly scope: string; readonly seqs: readonly number[] },
): Promise<void> {
  const chunks = await readChunks(tx, model.id, seqs);
  if (chunks.size === 0) return;
  for (const some of inParts([...chunks.keys()])) {
    await tx.deleteFrom("memory_vector").where("id", "in", vectorIds(model.id, some)).execute();
  }
  const codes = await CodeSetWriter.open(tx, model, scope);
  for (const [seq, chunk] of chunks) await codes.remove(seq, chunk);
  await codes.save();
  await countVectors(tx, model.id, -chunks.size);
}

async function readChunks(
  tx: Transaction<Tables>,
  modelId: number,
  seqs: readonly number[],
): Promise<Map<number, number>> {
  const chunks = new Map<number, number>();
  for (const some of inParts(seqs)) {
    const ids = filledUp(vectorIds(modelId, some), chunkStep, -1);
    for (const { id, chunk } of await selectChunks(tx, ids.length, ids)) chunks.set(toEntrySeq(id), chunk);
  }
  return chunks;
}

/** Chunks are asked for in multiples of so many rows. */
const chunkStep = 16;

const selectChunks = prepared((db: Kysely<Tables>, size) =>
  db
    .selectFrom("memory_vector")
    .select(["id", "chunk"])
    .where(
      "id",
      "in",
      Array.from({ length: size }, () => 0),
    ),
);

async function countVectors(tx: Transaction<Tables>, modelId: number, more: number): Promise<void> {
  if (more !== 0) await addVectors(tx, 1, [more, modelId]);
}

const addVectors = prepared((db: Kysely<Tables>) =>
  db
    .updateTable("memory_model")
    .set((row) => ({ vectors: row("vectors", "+", 0) }))
    .where("id", "=", 0),
);
