import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { VectorCache } from "../search/index.ts";
import type { ContractCase } from "./contract-case.ts";

const model = "stub/3";
const first = Float32Array.of(0.1, -2, 3e-30);
const second = Float32Array.of(1, 0, -0);

/** What every cache of vectors gives back. */
export const vectorCases: readonly ContractCase<VectorCache>[] = [
  {
    name: "get() knows nothing before something was put",
    async run(vectors) {
      strictEqual((await vectors.get(model, ["a", "b"])).size, 0);
      strictEqual((await vectors.get(model, [])).size, 0);
    },
  },
  {
    name: "get() gives the vectors there are, to the bit, and leaves out the others",
    async run(vectors) {
      await vectors.put(model, new Map([["a", first]]));
      await vectors.put(model, new Map([["b", second]]));
      const found = await vectors.get(model, ["b", "none", "a"]);
      deepStrictEqual(
        new Map(found),
        new Map([
          ["a", first],
          ["b", second],
        ]),
      );
      ok([...found.values()].every((vector) => vector instanceof Float32Array));
    },
  },
  {
    name: "get() gives no vector of another model",
    async run(vectors) {
      await vectors.put(model, new Map([["a", first]]));
      for (const other of ["", "stub", "stub/33", "%"])
        strictEqual((await vectors.get(other, ["a"])).size, 0);
    },
  },
  {
    name: "put() replaces the vector of the same text, and takes none",
    async run(vectors) {
      await vectors.put(model, new Map([["a", first]]));
      await vectors.put(model, new Map([["a", second]]));
      await vectors.put(model, new Map());
      deepStrictEqual([...(await vectors.get(model, ["a"])).values()], [second]);
    },
  },
  {
    name: "put() takes a part of a longer vector's memory",
    async run(vectors) {
      const all = Float32Array.of(9, 1, 2, 9);
      await vectors.put(model, new Map([["a", all.subarray(1, 3)]]));
      deepStrictEqual((await vectors.get(model, ["a"])).get("a"), Float32Array.of(1, 2));
    },
  },
  {
    name: "get() and put() take thousands at once",
    async run(vectors) {
      const many = new Map(
        Array.from({ length: 2_500 }, (_, index) => [`h${index}`, Float32Array.of(index, 0.5)]),
      );
      await vectors.put(model, many);
      deepStrictEqual(new Map(await vectors.get(model, [...many.keys()])), many);
    },
  },
];
