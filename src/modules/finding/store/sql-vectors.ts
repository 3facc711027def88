import type { Kysely, Transaction } from "kysely";
import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import type { VectorCache } from "../../../search/index.ts";
import type { Tables } from "./tables.ts";

export interface SqlVectorsOptions {
  readonly clock: Clock;
  /** The most bytes of all vectors; past this those go that were used longest ago. */
  readonly maxBytes: number;
}

const rowsAtOnce = 500;
/** Uses closer together than this are one: a start that finds all its vectors writes nothing. */
const useMs = 86_400_000;

/** {@link VectorCache} over any {@link TypedDatabase}. */
export class SqlVectors implements VectorCache {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;
  readonly #maxBytes: number;

  constructor(db: TypedDatabase<Tables>, { clock, maxBytes }: SqlVectorsOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  async get(model: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
    const db = await this.#db.queries();
    const staleBefore = this.#clock.now() - useMs;
    const found = new Map<string, Float32Array>();
    const stale: string[] = [];
    for (const some of inParts(hashes)) {
      const rows = await db
        .selectFrom("text_vector")
        .select(["hash", "vector", "used_at"])
        .where("model", "=", model)
        .where("hash", "in", some)
        .execute();
      for (const { hash, vector, used_at } of rows) {
        // What is no whole number of numbers was not put here by us.
        if (vector.length % Float32Array.BYTES_PER_ELEMENT !== 0) continue;
        found.set(hash, toVector(vector));
        if (used_at < staleBefore) stale.push(hash);
      }
    }
    if (stale.length > 0) await this.#touch(model, stale);
    return found;
  }

  async put(model: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    if (vectors.size === 0) return;
    const used_at = this.#clock.now();
    await this.#db.write(async (tx) => {
      for (const some of inParts([...vectors])) {
        const rows = some.map(([hash, vector]) => {
          const bytes = toBytes(vector);
          return { model, hash, vector: bytes, bytes: bytes.length, used_at };
        });
        await tx
          .insertInto("text_vector")
          .values(rows)
          .onConflict((conflict) =>
            conflict.columns(["model", "hash"]).doUpdateSet((row) => ({
              vector: row.ref("excluded.vector"),
              bytes: row.ref("excluded.bytes"),
              used_at,
            })),
          )
          .execute();
      }
      await this.#makeRoom(tx);
    });
  }

  async #touch(model: string, hashes: readonly string[]): Promise<void> {
    const used_at = this.#clock.now();
    await this.#db.write(async (tx) => {
      for (const some of inParts(hashes)) {
        await tx
          .updateTable("text_vector")
          .set({ used_at })
          .where("model", "=", model)
          .where("hash", "in", some)
          .execute();
      }
    });
  }

  /** A tenth more than has to go, so that not every `put` that follows has to do it again. */
  async #makeRoom(tx: Transaction<Tables>): Promise<void> {
    let kept = await totalBytes(tx);
    if (kept <= this.#maxBytes) return;
    while (kept > this.#maxBytes * 0.9) {
      const oldest = await tx
        .selectFrom("text_vector")
        .select(["model", "hash", "bytes"])
        .orderBy("used_at")
        .orderBy("model")
        .orderBy("hash")
        .limit(rowsAtOnce)
        .execute();
      for (const { model, hash, bytes } of oldest) {
        if (kept <= this.#maxBytes * 0.9) return;
        await tx.deleteFrom("text_vector").where("model", "=", model).where("hash", "=", hash).execute();
        kept -= bytes;
      }
      if (oldest.length < rowsAtOnce) return;
    }
  }
}

async function totalBytes(db: Kysely<Tables>): Promise<number> {
  const { total } = await db
    .selectFrom("text_vector")
    .select((row) => row.fn.sum<number | null>("bytes").as("total"))
    .executeTakeFirstOrThrow();
  return Number(total ?? 0);
}

function* inParts<Item>(items: readonly Item[]): Generator<readonly Item[], void> {
  for (let start = 0; start < items.length; start += rowsAtOnce) yield items.slice(start, start + rowsAtOnce);
}

/** A view of the vector's own bytes: numbers of 32 bits, the lowest byte first on every machine that Node runs on. */
function toBytes({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A copy: what the database gives need not begin where a number of 32 bits may. */
function toVector(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
