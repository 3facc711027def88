import { median } from "../harness.ts";
import type { DataQuery } from "./data-set.ts";

/** Ids of at most 20 memories, the best first. */
export type Rank = (query: DataQuery) => Promise<readonly string[]> | readonly string[];

/** Shares are means over the queries. */
export interface Measures {
  readonly "R@1": number;
  readonly "R@5": number;
  readonly "R@10": number;
  readonly "R@20": number;
  readonly MRR: number;
  readonly "nDCG@10": number;
  readonly "cpu ms": number;
  readonly "p50 ms": number;
  readonly "p99 ms": number;
}

export interface Measured {
  readonly all: Measures;
  /** R@10 of each category, where there is more than one. */
  readonly categories: Readonly<Record<string, number>>;
}

export async function measure(queries: readonly DataQuery[], rank: Rank): Promise<Measured> {
  const times: number[] = [];
  const ranked: { query: DataQuery; ranks: number[] }[] = [];
  const cpu = process.cpuUsage();
  for (const query of queries) {
    const start = performance.now();
    const ids = await rank(query);
    times.push(performance.now() - start);
    const wanted = new Set(query.relevant);
    ranked.push({ query, ranks: ids.flatMap((id, at) => (wanted.delete(id) ? [at + 1] : [])) });
  }
  const { user, system } = process.cpuUsage(cpu);
  const groups = Map.groupBy(ranked, ({ query }) => query.category ?? "");
  const recall = (limit: number, of = ranked) =>
    mean(of.map(({ query, ranks }) => within(ranks, limit).length / query.relevant.length));
  return {
    all: {
      "R@1": recall(1),
      "R@5": recall(5),
      "R@10": recall(10),
      "R@20": recall(20),
      MRR: mean(ranked.map(({ ranks: [first] }) => (first === undefined ? 0 : 1 / first))),
      "nDCG@10": mean(
        ranked.map(({ query, ranks }) => gain(within(ranks, 10)) / gain(firstRanks(query.relevant.length))),
      ),
      "cpu ms": (user + system) / 1000 / queries.length,
      "p50 ms": median(times),
      "p99 ms": times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0,
    },
    categories:
      groups.size < 2
        ? {}
        : Object.fromEntries([...groups].map(([category, of]) => [category, recall(10, of)])),
  };
}

function within(ranks: readonly number[], limit: number): number[] {
  return ranks.filter((rank) => rank <= limit);
}

function firstRanks(wanted: number): number[] {
  return Array.from({ length: Math.min(10, wanted) }, (_, at) => at + 1);
}

function gain(ranks: readonly number[]): number {
  return ranks.reduce((sum, rank) => sum + 1 / Math.log2(rank + 1), 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
