import type { Embedder } from "../../src/search/index.ts";
import { byScope, type DataQuery, type DataSet } from "./data-set.ts";
import { openHaft } from "./haft.ts";

/** What a search for what is relevant alone keeps and leaves out. Shares are of queries. */
export interface RelevanceFigures {
  /** Of those whose answer was among the first ten: it still is. */
  readonly kept: number;
  /** Of those about something else: nothing is shown. */
  readonly silent: number;
  /** The same without the floor. */
  readonly silentBefore: number;
  /** Entries shown for a query about something else. */
  readonly shown: number;
}

const most = 150;
const fromEachOther = 25;

/** Asks a set its own queries, and those of the other sets. Embedded queries are kept by the caller's embedder. */
export async function measureRelevance(
  set: DataSet,
  others: readonly DataSet[],
  embedder: Embedder | undefined,
): Promise<RelevanceFigures> {
  const haft = await openHaft(set, embedder);
  const scopes = [...byScope(set.memories).keys()];
  const own = everyFew(set.queries, most);
  const unrelated = others
    .flatMap(({ queries }) => everyFew(queries, fromEachOther))
    .map((query, at) => ({ ...query, scope: scopes[at % scopes.length] ?? "" }));
  for (const { query } of [...own, ...unrelated]) await embedder?.embed([query]);
  let [found, kept, silent, silentBefore, shown] = [0, 0, 0, 0, 0];
  const first = async (query: DataQuery, onlyRelevant: boolean) =>
    (await haft.rank(query, { onlyRelevant })).slice(0, 10);
  for (const query of own) {
    const isAnswer = (id: string) => query.relevant.includes(id);
    if (!(await first(query, false)).some(isAnswer)) continue;
    found++;
    if ((await first(query, true)).some(isAnswer)) kept++;
  }
  for (const query of unrelated) {
    const left = await first(query, true);
    shown += left.length;
    if (left.length === 0) silent++;
    if ((await first(query, false)).length === 0) silentBefore++;
  }
  await haft.close();
  const of = Math.max(1, unrelated.length);
  return {
    kept: kept / Math.max(1, found),
    silent: silent / of,
    silentBefore: silentBefore / of,
    shown: shown / of,
  };
}

function everyFew<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count);
  return Array.from(
    { length: Math.min(count, items.length) },
    (_, at) => items[Math.floor(at * step)] as Item,
  );
}
