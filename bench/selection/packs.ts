import { getPackName } from "../../src/kernel/index.ts";
import {
  centrePacks,
  type Embedder,
  initPackEmbeddings,
  type Pack,
  selectPacks,
} from "../../src/search/index.ts";
import type { DataSet, DataTool } from "./data-set.ts";
import { openHaft } from "./haft.ts";

/** How well packs are selected: shares of all selected packs, and of all right ones. */
export interface PackMeasures {
  readonly name: string;
  readonly precision: number;
  readonly recall: number;
  /** Queries for which a right pack comes first, where packs are ranked. */
  readonly first?: number;
}

/** Measures each way to select packs on one set: a query's right packs are those of its tools. */
export async function measurePacks(set: DataSet, embedder: Embedder | undefined): Promise<PackMeasures[]> {
  const packOfId = new Map(set.tools.map((tool) => [tool.id, findPackName(tool)]));
  const wanted = set.queries.map(
    ({ groups }) => new Set(groups.map(([id = ""]) => packOfId.get(id)).filter((name) => name !== undefined)),
  );
  const { search } = openHaft(set, embedder === undefined ? {} : { embedder });
  await search.ready();
  const near: string[][] = [];
  let first = 0;
  for (const [at, { text }] of set.queries.entries()) {
    const names = (await search.findPacks(text)).map(({ name }) => name);
    if (wanted[at]?.has(names[0] ?? "") === true) first++;
    near.push(names);
  }
  await search.close();
  const found = { ...computeScore("findPacks", near, wanted), first: first / set.queries.length };
  if (embedder === undefined) return [found];
  return [found, ...(await measureThreshold(set, embedder, wanted))];
}

async function measureThreshold(
  { tools, queries }: DataSet,
  embedder: Embedder,
  wanted: readonly ReadonlySet<string>[],
): Promise<PackMeasures[]> {
  const packs = [...Map.groupBy(tools, findPackName)].map(
    ([name, own]): Pack => ({
      name,
      description: own[0]?.serverDescription ?? own.map((tool) => tool.description ?? tool.name).join(" "),
      alwaysLoad: false,
      factories: [],
    }),
  );
  const plain = await initPackEmbeddings(packs, embedder);
  const { embeddings, centre } = centrePacks(plain);
  const ways = [
    { name: "selectPacks at 0.3", known: plain, adjust: (vector: Float32Array) => vector },
    { name: "selectPacks at 0.3, centred", known: embeddings, adjust: centre },
  ];
  const measures: PackMeasures[] = [];
  for (const { name, known, adjust } of ways) {
    const selected: string[][] = [];
    for (const { text } of queries) {
      const [vector = new Float32Array(0)] = await embedder.embed([text]);
      const near = selectPacks(packs, { text, embedding: adjust(vector) }, known);
      selected.push(near.map((pack) => pack.name));
    }
    measures.push(computeScore(name, selected, wanted));
  }
  return measures;
}

function computeScore(
  name: string,
  selected: readonly (readonly string[])[],
  wanted: readonly ReadonlySet<string>[],
): PackMeasures {
  const right = selected.reduce(
    (sum, names, at) => sum + names.filter((one) => wanted[at]?.has(one)).length,
    0,
  );
  const count = (all: readonly { readonly length: number }[]) =>
    all.reduce((sum, { length }) => sum + length, 0);
  return {
    name,
    precision: right / Math.max(1, count(selected)),
    recall: right / Math.max(1, count(wanted.map((names) => [...names]))),
  };
}

function findPackName({ server, category }: DataTool): string {
  return getPackName({ category: server ?? category ?? "custom" });
}
