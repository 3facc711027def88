import { type Kysely, sql, type Transaction } from "kysely";
import { prepared } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";
import { findCapacity, packChunk, unpackChunk } from "./code-chunk.ts";
import type { MemoryModel } from "./memory-models.ts";
import { inParts } from "./parts.ts";
import { vectorIds } from "./vector-id.ts";

/** A chunk that is being changed: what it holds is always the first `seqs.length` of its codes. */
interface OpenChunk {
  readonly number: number;
  readonly codes: Uint8Array;
  readonly seqs: number[];
  changed: boolean;
}

/**
 * New codes go into a chunk with fewer codes than this, since a chunk is written as a whole; a chunk with this many is
 * merged into a larger one.
 */
const mostInNew = 256;
/** The same as a share of what a chunk holds. */
const shareInNew = 1 / 4;

/** Changes the codes of a scope within a transaction. Nothing is written before `save`. */
export class CodeSetWriter {
  readonly #tx: Transaction<Tables>;
  readonly #model: MemoryModel;
  readonly #set: { readonly id: number; readonly revision: number };
  readonly #capacity: number;
  readonly #mostInNew: number;
  readonly #open = new Map<number, OpenChunk>();
  #shrunk = false;

  private constructor(tx: Transaction<Tables>, model: MemoryModel, set: { id: number; revision: number }) {
    this.#tx = tx;
    this.#model = model;
    this.#set = set;
    this.#capacity = findCapacity(model.codeBytes);
    this.#mostInNew = Math.min(mostInNew, Math.floor(this.#capacity * shareInNew));
  }

  static async open(tx: Transaction<Tables>, model: MemoryModel, scope: string): Promise<CodeSetWriter> {
    const set =
      (await findCodeSet(tx, model, scope)) ??
      (await tx
        .insertInto("memory_code_set")
        .values({ model_id: model.id, scope, revision: 0 })
        .returning(["id", "revision"])
        .executeTakeFirstOrThrow());
    return new CodeSetWriter(tx, model, set);
  }

  /** Adds a code and returns the chunk that holds it. */
  async add(seq: number, code: Uint8Array): Promise<number> {
    const chunk = await this.#withRoom();
    chunk.codes.set(code, chunk.seqs.length * code.length);
    chunk.seqs.push(seq);
    chunk.changed = true;
    return chunk.number;
  }

  /** False: it is not there. */
  async replace(seq: number, code: Uint8Array, at: number): Promise<boolean> {
    const chunk = await this.#chunk(at);
    const slot = chunk.seqs.indexOf(seq);
    if (slot < 0) return false;
    chunk.codes.set(code, slot * code.length);
    chunk.changed = true;
    return true;
  }

  /** The last code of its chunk takes its place. */
  async remove(seq: number, at: number): Promise<void> {
    const chunk = await this.#chunk(at);
    const slot = chunk.seqs.indexOf(seq);
    if (slot < 0) return;
    const { codeBytes } = this.#model;
    const last = chunk.seqs.length - 1;
    chunk.codes.copyWithin(slot * codeBytes, last * codeBytes, (last + 1) * codeBytes);
    chunk.seqs[slot] = chunk.seqs[last] as number;
    chunk.seqs.pop();
    chunk.changed = true;
    this.#shrunk = true;
  }

  async save(): Promise<void> {
    if (this.#shrunk) await this.#mergeSmall();
    else await this.#mergeNew();
    const revision = this.#set.revision + 1;
    const changed = [...this.#open.values()].filter((chunk) => chunk.changed);
    for (const { number, codes, seqs } of changed) {
      const count = seqs.length;
      const data = packChunk({
        codes: codes.subarray(0, count * this.#model.codeBytes),
        seqs: Float64Array.from(seqs),
      });
      await putChunk(this.#tx, 1, [this.#set.id, number, revision, count, data, revision, count, data]);
    }
    if (changed.length > 0) await setRevision(this.#tx, 1, [revision, this.#set.id]);
  }

  /** A chunk that is written anyway takes as many as there is room for. */
  async #withRoom(): Promise<OpenChunk> {
    for (const chunk of this.#open.values()) if (chunk.seqs.length < this.#capacity) return chunk;
    const [roomy] = await selectRoomy(this.#tx, 1, [this.#set.id, this.#mostInNew]);
    if (roomy !== undefined && !this.#open.has(roomy.chunk)) return this.#unpack(roomy.chunk, roomy.data);
    const [last] = await selectLast(this.#tx, 1, [this.#set.id]);
    return this.#keep(Math.max(last?.chunk ?? -1, ...this.#open.keys()) + 1, new Uint8Array(), []);
  }

  async #chunk(number: number): Promise<OpenChunk> {
    const open = this.#open.get(number);
    if (open !== undefined) return open;
    const [row] = await selectData(this.#tx, 1, [this.#set.id, number]);
    return this.#unpack(number, row?.data ?? new Uint8Array());
  }

  #unpack(number: number, data: Uint8Array): OpenChunk {
    const { codes, seqs } = unpackChunk(data, this.#model.codeBytes);
    return this.#keep(number, codes, [...seqs]);
  }

  #keep(number: number, codes: Uint8Array, seqs: number[]): OpenChunk {
    const room = new Uint8Array(this.#capacity * this.#model.codeBytes);
    room.set(codes);
    const chunk = { number, codes: room, seqs, changed: false };
    this.#open.set(number, chunk);
    return chunk;
  }

  /** What is left of a chunk goes into another that is half empty: a scope that forgets most has few chunks again. */
  async #mergeSmall(): Promise<void> {
    for (const chunk of this.#open.values()) {
      if (chunk.seqs.length === 0 || chunk.seqs.length > this.#capacity / 4) continue;
      const other = await this.#tx
        .selectFrom("memory_code")
        .select("chunk")
        .where("set_id", "=", this.#set.id)
        .where("chunk", "not in", [...this.#open.keys()])
        .where("count", "<=", this.#capacity / 2)
        .where("count", ">", 0)
        .limit(1)
        .executeTakeFirst();
      if (other === undefined) continue;
      await this.#move(chunk, await this.#chunk(other.chunk));
    }
  }

  /** A chunk that new codes have filled goes into one that has room for all of it. */
  async #mergeNew(): Promise<void> {
    for (const chunk of this.#open.values()) {
      const count = chunk.seqs.length;
      if (count < this.#mostInNew || count > this.#capacity / 2) continue;
      const wanted = [this.#set.id, this.#mostInNew, this.#capacity - count, chunk.number];
      const [other] = await selectLarge(this.#tx, 1, wanted);
      if (other === undefined || this.#open.has(other.chunk)) continue;
      await this.#move(chunk, this.#unpack(other.chunk, other.data));
    }
  }

  async #move(from: OpenChunk, to: OpenChunk): Promise<void> {
    const { codeBytes, id } = this.#model;
    to.codes.set(from.codes.subarray(0, from.seqs.length * codeBytes), to.seqs.length * codeBytes);
    to.seqs.push(...from.seqs);
    to.changed = true;
    for (const seqs of inParts(from.seqs)) {
      await this.#tx
        .updateTable("memory_vector")
        .set({ chunk: to.number })
        .where("id", "in", vectorIds(id, seqs))
        .execute();
    }
    from.seqs.length = 0;
    from.changed = true;
  }
}

/** The codes of a scope; undefined where it has none. */
export async function findCodeSet(
  db: Kysely<Tables>,
  model: MemoryModel,
  scope: string,
): Promise<{ readonly id: number; readonly revision: number } | undefined> {
  const [set] = await selectSet(db, 1, [model.id, scope]);
  return set;
}

const selectSet = prepared((db: Kysely<Tables>) =>
  db
    .selectFrom("memory_code_set")
    .select(["id", "revision"])
    .where("model_id", "=", 0)
    .where("scope", "=", ""),
);

const setRevision = prepared((db: Kysely<Tables>) =>
  db.updateTable("memory_code_set").set({ revision: 0 }).where("id", "=", 0),
);

const chunks = (db: Kysely<Tables>) => db.selectFrom("memory_code").where("set_id", "=", 0);

const selectData = prepared((db: Kysely<Tables>) => chunks(db).select("data").where("chunk", "=", 0));

const selectLast = prepared((db: Kysely<Tables>) =>
  chunks(db).select("chunk").orderBy("chunk", "desc").limit(sql.lit(1)),
);

const selectRoomy = prepared((db: Kysely<Tables>) =>
  chunks(db).select(["chunk", "data"]).where("count", "<", 0).orderBy("chunk", "desc").limit(sql.lit(1)),
);

const selectLarge = prepared((db: Kysely<Tables>) =>
  chunks(db)
    .select(["chunk", "data"])
    .where("count", ">=", 0)
    .where("count", "<=", 0)
    .where("chunk", "!=", 0)
    .orderBy("chunk", "desc")
    .limit(sql.lit(1)),
);

const putChunk = prepared((db: Kysely<Tables>) => {
  const data = new Uint8Array();
  return db
    .insertInto("memory_code")
    .values({ set_id: 0, chunk: 0, revision: 0, count: 0, data })
    .onConflict((conflict) =>
      conflict.columns(["set_id", "chunk"]).doUpdateSet({ revision: 0, count: 0, data }),
    );
});
