import { median } from "../harness.ts";
import type { JudgedQuery } from "./data-set.ts";

/** What one ranker makes of a set. Shares are means over the queries. */
export interface Measures {
  readonly "R@1": number;
  readonly "R@3": number;
  readonly "R@5": number;
  readonly "R@10": number;
  readonly "R@20": number;
  readonly MRR: number;
  readonly "nDCG@10": number;
  /** Queries all of whose tools are among the first five. */
  readonly "all@5": number;
  readonly "p50 ms": number;
  readonly "p99 ms": number;
}

/** @param rank ids of at most 20 tools, best first */
export async function measure(
  queries: readonly JudgedQuery[],
  rank: (text: string) => Promise<readonly string[]> | readonly string[],
): Promise<Measures> {
  const times: number[] = [];
  const hits: number[][] = [];
  for (const { text, groups } of queries) {
    const start = performance.now();
    const ids = await rank(text);
    times.push(performance.now() - start);
    hits.push(countHits(ids, groups));
  }
  const mean = (of: (found: readonly number[], wanted: number) => number) =>
    hits.reduce((sum, found, at) => sum + of(found, queries[at]?.groups.length ?? 1), 0) / hits.length;
  const within = (found: readonly number[], limit: number) => found.filter((rank) => rank <= limit).length;
  const recall = (limit: number) => mean((found, wanted) => within(found, limit) / wanted);
  return {
    "R@1": recall(1),
    "R@3": recall(3),
    "R@5": recall(5),
    "R@10": recall(10),
    "R@20": recall(20),
    MRR: mean(([first]) => (first === undefined ? 0 : 1 / first)),
    "nDCG@10": mean((found, wanted) => gain(found.filter((rank) => rank <= 10)) / gain(firstRanks(wanted))),
    "all@5": mean((found, wanted) => (within(found, 5) === wanted ? 1 : 0)),
    "p50 ms": median(times),
    "p99 ms": times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0,
  };
}

/** The ranks, from 1, at which a group is met for the first time. */
function countHits(ids: readonly string[], groups: readonly (readonly string[])[]): number[] {
  const left = new Set(groups);
  return ids.flatMap((id, at) => {
    const met = [...left].find((group) => group.includes(id));
    return met !== undefined && left.delete(met) ? [at + 1] : [];
  });
}

function firstRanks(wanted: number): number[] {
  return Array.from({ length: Math.min(10, wanted) }, (_, at) => at + 1);
}

function gain(ranks: readonly number[]): number {
  return ranks.reduce((sum, rank) => sum + 1 / Math.log2(rank + 1), 0);
}
