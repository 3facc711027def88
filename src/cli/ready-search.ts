import type { App } from "../app/index.ts";
import type { ToolSearch } from "../search/index.ts";

/** One command is over before vectors are made in the background: those of a usual installation are there by then, and kept. */
const patienceMs = 10_000;

/** A search waits two seconds for a model; a model that is loaded for it needs more. */
const mostTries = 4;

/** The search of an installation, with its vectors and that of the goal as far as they can be had in a few seconds. */
export async function readySearch(app: Pick<App, "search">, goal: string): Promise<ToolSearch> {
  const [search, { awaitSearch }] = await Promise.all([app.search(), import("../app/index.ts")]);
  await awaitSearch(search, patienceMs);
  for (let tries = 1; tries < mostTries && search.progress().made > 0; tries++) {
    const { by } = await search.search(goal, { limit: 1 });
    if (by !== "words") break;
  }
  return search;
}
