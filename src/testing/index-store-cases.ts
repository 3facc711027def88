import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { IndexStore } from "../search/index.ts";
import type { ContractCase } from "./contract-case.ts";

/** What keeps a search index between two starts. */
export const indexStoreCases: readonly ContractCase<IndexStore>[] = [
  {
    name: "load() gives nothing before something was saved",
    async run(indexes) {
      strictEqual(await indexes.load("words 1"), undefined);
    },
  },
  {
    name: "load() gives what was saved last",
    async run(indexes) {
      await indexes.save("words 1", Uint8Array.of(1, 2, 3));
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
      await indexes.save("words 1", bytes);
      deepStrictEqual(Uint8Array.from((await indexes.load("words 1")) ?? []), bytes);
    },
  },
  {
    name: "load() gives nothing of another form",
    async run(indexes) {
      await indexes.save("words 1", Uint8Array.of(1));
      for (const form of ["", "words", "words 2", "%"]) strictEqual(await indexes.load(form), undefined);
    },
  },
  {
    name: "save() keeps the index that was saved last, however many forms there were",
    async run(indexes) {
      for (let form = 0; form < 50; form++) await indexes.save(`form ${form}`, Uint8Array.of(form));
      deepStrictEqual(Uint8Array.from((await indexes.load("form 49")) ?? []), Uint8Array.of(49));
    },
  },
];
