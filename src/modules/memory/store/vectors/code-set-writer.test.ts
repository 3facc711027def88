import fc from "fast-check";
import { expect, test } from "vitest";
import { openDatabase } from "../../../../../test/support/vector-world.ts";
import type { TypedDatabase } from "../../../../db/index.ts";
import type { Tables } from "../tables.ts";
import { CodeCache } from "./code-cache.ts";
import { unpackChunk } from "./code-chunk.ts";
import { type MemoryModel, openModel } from "./memory-models.ts";
import { signCode } from "./sign-codes.ts";
import { toUnit } from "./small-vector.ts";
import { dropVectors, putVectors } from "./stored-vectors.ts";

/** So long that a chunk holds few: 56. */
const dimension = 8192;
const capacity = 56;

function makeVector(seed: number): Float32Array {
  let state = seed * 2_654_435_761 + 1;
  return toUnit(
    Float32Array.from({ length: dimension }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32 - 0.5;
    }),
  );
}

const edits = fc.array(
  fc.oneof(
    fc.record({ put: fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 90 }) }),
    fc.record({ drop: fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 120 }) }),
  ),
  { minLength: 1, maxLength: 6 },
);

test("a scope's chunks hold the codes of its vectors and no others, each where its vector says, whatever came and went", async () => {
  const db = await openDatabase();
  let scopes = 0;
  await fc.assert(
    fc.asyncProperty(edits, async (changes) => {
      const scope = `scope-${scopes++}`;
      // Each run has rows of its own.
      const toRow = (seq: number) => scopes * 1000 + seq;
      const cache = new CodeCache(db, { maxBytes: 10_000_000 });
      const expected = new Map<number, Uint8Array>();
      for (const [turn, change] of changes.entries()) {
        const model = await db.write(async (tx) => {
          const model = await openModel(tx, { name: "m", dimension, now: 0 });
          if ("put" in change) {
            const made = change.put.map((seq) => ({ seq: toRow(seq), scope, unit: makeVector(seq + turn) }));
            await putVectors(tx, model, made);
            for (const { seq, unit } of made) expected.set(seq, signCode(unit));
          } else {
            await dropVectors(tx, model, { scope, seqs: change.drop.map(toRow) });
            for (const seq of change.drop) expected.delete(toRow(seq));
          }
          return model;
        });
        const { codes, chunks } = await readCodes(db, model, scope);
        expect(codes).toEqual(expected);
        expect(chunks.every((count) => count <= capacity)).toBe(true);
        // At most one is both nearly empty and beside another that has room for what is left of it.
        const used = chunks.filter((count) => count > 0);
        expect(used.length).toBeLessThanOrEqual(Math.ceil(expected.size / (capacity / 4)) + 1);
        expect(await readCached(cache, model, scope)).toEqual(expected);
      }
    }),
    { numRuns: 15 },
  );
  await db.close();
});

async function readCodes(database: TypedDatabase<Tables>, model: MemoryModel, scope: string) {
  const db = await database.queries();
  const rows = await db
    .selectFrom("memory_code")
    .innerJoin("memory_code_set as set", "set.id", "memory_code.set_id")
    .select(["chunk", "data", "count"])
    .where("scope", "=", scope)
    .execute();
  const codes = new Map<number, Uint8Array>();
  for (const { chunk, data, count } of rows) {
    const unpacked = unpackChunk(data, model.codeBytes);
    expect(unpacked.seqs.length).toBe(count);
    for (const [slot, seq] of unpacked.seqs.entries()) {
      expect(codes.has(seq)).toBe(false);
      codes.set(seq, codeAt(unpacked.codes, slot, model.codeBytes));
      const vector = await db
        .selectFrom("memory_vector")
        .select("chunk")
        .where("id", "=", seq * 64 + model.id)
        .executeTakeFirst();
      expect(vector?.chunk).toBe(chunk);
    }
  }
  return { codes, chunks: rows.map(({ count }) => count) };
}

function readCached(cache: CodeCache, model: MemoryModel, scope: string) {
  return cache.use(model, [scope], (memory, [pages]) => {
    const bytes = memory.kernel.bytes();
    const codes = new Map<number, Uint8Array>();
    for (const { address, seqs } of pages ?? []) {
      for (const [slot, seq] of seqs.entries()) {
        codes.set(seq, codeAt(bytes.subarray(address), slot, model.codeBytes));
      }
    }
    return codes;
  });
}

function codeAt(codes: Uint8Array, slot: number, codeBytes: number): Uint8Array {
  return Uint8Array.from(codes.subarray(slot * codeBytes, (slot + 1) * codeBytes));
}
