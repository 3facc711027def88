import { type RankingWeights, rankingWeights } from "../../src/search/tools/ranking-weights.ts";
import type { DataSet } from "./data-set.ts";
import { type HaftOptions, openHaft } from "./haft.ts";
import { measure } from "./measures.ts";

/** Factors that each weight is multiplied with to be tried. */
const factors = [0, 0.5, 1, 2];

/** Mean of R@10 and nDCG@10, in percent, by set and by factor. */
interface WeightRow {
  readonly weight: keyof RankingWeights;
  readonly quality: readonly (readonly number[])[];
}

/**
 * Tries every weight of the ranking on every set, the others as they are, and says what would have been chosen for each
 * set by the other sets alone. A weight stays if that costs nothing.
 */
export async function sweepWeights(sets: readonly DataSet[], options: HaftOptions): Promise<string> {
  const weights: { -readonly [Name in keyof RankingWeights]: number } = { ...rankingWeights };
  const opened = sets.map((set) => ({ set, haft: openHaft(set, { ...options, weights }) }));
  for (const { haft } of opened) await haft.search.ready();
  const names = (Object.keys(rankingWeights) as (keyof RankingWeights)[]).filter(
    (name) => name !== "vectors" || options.embedder !== undefined,
  );
  const rows: WeightRow[] = [];
  for (const weight of names) {
    const quality: number[][] = sets.map(() => []);
    for (const factor of factors) {
      weights[weight] = factor * rankingWeights[weight];
      for (const [at, { set, haft }] of opened.entries()) {
        const { "R@10": recall, "nDCG@10": gain } = await measure(set.queries, haft.rank);
        quality[at]?.push(50 * (recall + gain));
      }
    }
    weights[weight] = rankingWeights[weight];
    rows.push({ weight, quality });
  }
  for (const { haft } of opened) await haft.search.close();
  return toTable(sets, rows);
}

function toTable(sets: readonly DataSet[], rows: readonly WeightRow[]): string {
  const lines = rows.map(({ weight, quality }) => {
    const own = factors.indexOf(1);
    const cells = quality.map((values, at) => {
      const others = quality.filter((_values, other) => other !== at);
      const chosen = bestFactor(others);
      const change = (values[chosen] ?? 0) - (values[own] ?? 0);
      const tried = values.map((value) => value.toFixed(1)).join(" ");
      return `${tried}; ×${factors[chosen]}: ${change >= 0 ? "+" : ""}${change.toFixed(1)}`;
    });
    return `| ${[`${weight} (${rankingWeights[weight]})`, ...cells].join(" | ")} |`;
  });
  return [
    `| At ×${factors.join(", ×")}; chosen by the other sets | ${sets.map(({ name }) => name).join(" | ")} |`,
    `| --- |${" --- |".repeat(sets.length)}`,
    ...lines,
  ].join("\n");
}

/** The place of the factor with the highest mean. */
function bestFactor(quality: readonly (readonly number[])[]): number {
  const means = factors.map((_factor, at) => quality.reduce((sum, values) => sum + (values[at] ?? 0), 0));
  return means.indexOf(Math.max(...means));
}
