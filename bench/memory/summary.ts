import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Embedder } from "../../src/search/index.ts";
import { type DataQuery, type DataSet, readDataSet } from "./data-set.ts";
import { openHaft } from "./haft.ts";
import { measure, type Rank } from "./measures.ts";

/** The folders with a data set of the folders that are named, or of those in them. */
export function findDataSets(folders: readonly string[]): DataSet[] {
  const isSet = (folder: string) => existsSync(join(folder, "queries.jsonl"));
  return folders
    .flatMap((folder) =>
      isSet(folder)
        ? [folder]
        : readdirSync(folder)
            .map((name) => join(folder, name))
            .filter(isSet),
    )
    .map(readDataSet);
}

/** At most `most` of the set's questions, always the same ones. */
export function withFewQueries(set: DataSet, most: number): DataSet {
  const step = Math.max(1, set.queries.length / most);
  const count = Math.min(most, set.queries.length);
  const queries = Array.from({ length: count }, (_, at) => set.queries[Math.floor(at * step)] as DataQuery);
  return { ...set, queries };
}

/** What the searches of a set find, in percent. */
export async function summarise(
  set: DataSet,
  embedder: Embedder | undefined,
): Promise<Readonly<Record<string, number | undefined>>> {
  for (const { query } of set.queries) await embedder?.embed([query]);
  const haft = await openHaft(set, embedder);
  let firstThree = 0;
  const rank: Rank = async (query) => {
    const ids = await haft.rank(query);
    if (ids.slice(0, 3).some((id) => query.relevant.includes(id))) firstThree++;
    return ids;
  };
  const { all, categories } = await measure(set.queries, rank);
  await haft.close();
  const multiHop = categories["multi-hop"];
  return {
    "first three": (100 * firstThree) / set.queries.length,
    "R@5": 100 * all["R@5"],
    "R@10": 100 * all["R@10"],
    "nDCG@10": 100 * all["nDCG@10"],
    "multi-hop R@10": multiHop === undefined ? undefined : 100 * multiHop,
    "cpu ms": all["cpu ms"],
  };
}
