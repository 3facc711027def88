import { getErrorMessage } from "../../base/index.ts";
import { findMemoryScope } from "../../modules/memory/index.ts";
import type { HaftConfig } from "../config/config-types.ts";
import type { App } from "../create-app.ts";
import { findFailedJobs } from "../memory/failed-jobs.ts";
import { type Finding, ok, warning } from "./finding.ts";

const remedy = "`haft memory` says more; put right why, then `haft memory retry`";

/** How much is remembered, how far it can be found by meaning, what has a model, and what failed for good. */
export async function checkMemory(app: App): Promise<Finding> {
  const { memory, loaded } = app;
  try {
    const scope = findMemoryScope(app.context);
    const store = await app.store();
    const { total } = await store.memory.list(scope, { limit: 1 });
    const { made, of } = await store.memory.progress();
    const embedder = await memory.embedder();
    const failed = await findFailedJobs(store.jobs, scope);
    const detail = [
      total === undefined || total >= 10_000
        ? "10,000 entries or more"
        : `${total.toLocaleString("en")} ${total === 1 ? "entry" : "entries"}`,
      embedder === undefined
        ? "no embedder"
        : `${made.toLocaleString("en")} of ${of.toLocaleString("en")} texts found by meaning, with ${embedder.about ?? embedder.id}`,
      describeModel(loaded.config),
    ].join(", ");
    if (failed.length === 0) return ok("memory", detail);
    return warning("memory", `${detail}; ${failed.length} failed for good`, remedy);
  } catch (error) {
    return warning("memory", getErrorMessage(error), "`haft memory` says more");
  }
}

function describeModel({ memory, agent }: HaftConfig): string {
  if (memory?.model !== undefined) return "a model in memory.model";
  return agent?.memoryModel === undefined ? "no memory.model" : `the model ${agent.memoryModel}`;
}
