import type { HookStats } from "../../modules/hook-runs/index.ts";
import type { HookDefinition } from "../../sources/index.ts";
import type { App } from "../create-app.ts";

/** A hook with the statistics of its runs. */
export type ListedHook = HookDefinition & Omit<HookStats, "hook">;

const neverRun = { hook: "", runs: 0, blocks: 0, errors: 0, meanMs: 0 };

/** Lists the configured hooks with the statistics of their runs. */
export async function listHooks({
  sources,
  store,
}: Pick<App, "sources" | "store">): Promise<readonly ListedHook[]> {
  const definitions = sources.hookSource?.definitions() ?? [];
  if (definitions.length === 0) return [];
  const { hookRuns } = await store();
  const stats = new Map((await hookRuns.list("local")).map((one) => [one.hook, one]));
  return definitions.map((definition) => {
    const { hook: _hook, ...counted } = stats.get(definition.id) ?? neverRun;
    return { ...definition, ...counted };
  });
}
