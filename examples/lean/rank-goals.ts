import type { ToolRegistry } from "haft";
import type { App } from "haft/app";
import { selectionToolNames } from "haft/kernel";
import { ToolSearch } from "haft/search";
import { findPlace, type Goal, sumUp } from "./measure.ts";
import type { RankedGoal, Ranking } from "./report.ts";

const mostFound = 10;

/** Whose words are searched for. */
const phrasings = ["goal", "asked"] as const;

type Search = Pick<ToolSearch, "search">;

/** Searches for all goals by words alone. */
export async function rankByWords(
  { registry, packs }: App,
  goals: readonly Goal[],
): Promise<readonly Ranking[]> {
  const search = new ToolSearch({ registry, packs });
  try {
    return await rankBoth(search, registry, goals);
  } finally {
    await search.close();
  }
}

/** Searches for all goals as the installation does: with vectors, if it can make them. */
export async function rankAsConfigured(
  app: App,
  goals: readonly Goal[],
  say: (line: string) => void,
): Promise<readonly Ranking[]> {
  const search = await app.search();
  const progress = setInterval(() => {
    const { made, of } = search.progress();
    say(`${made} of ${of} vectors …`);
  }, 5000);
  await search.ready();
  clearInterval(progress);
  return rankBoth(search, app.registry, goals);
}

async function rankBoth(
  search: Search,
  registry: ToolRegistry,
  goals: readonly Goal[],
): Promise<readonly Ranking[]> {
  // What leads to tools is always shown, and never searched for.
  const tools = registry.list().filter(({ name }) => !selectionToolNames.includes(name));
  const rankings: Ranking[] = [];
  for (const phrasing of phrasings) {
    const ways = new Set<string>();
    const notes = new Set<string>();
    const ranked: RankedGoal[] = [];
    for (const goal of goals) {
      const options = { limit: mostFound, toolset: { usable: () => tools } };
      const { found, by, note } = await search.search(goal[phrasing], options);
      ways.add(by);
      if (note !== undefined) notes.add(note);
      const names = found.map(({ tool }) => tool.name);
      const place = findPlace(goal, names);
      ranked.push({ searched: goal[phrasing], ...(place !== undefined && { place }), found: names });
    }
    rankings.push({
      phrasing,
      by: [...ways].join(", or "),
      notes: [...notes],
      sums: sumUp(ranked.map(({ place }) => place)),
      goals: ranked,
    });
  }
  return rankings;
}
