import { createUsageMeter, type LoopParts, toBudgetLimits } from "../../agent/index.ts";
import type { ChatModel } from "../../model/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import type { Models } from "../models/models.ts";
import type { Store } from "../store/open-store.ts";
import { findRunBudgets } from "../tasks/task-budgets.ts";
import { readProgress } from "../tasks/task-settings.ts";
import type { PromptServices } from "./agent-prompt.ts";
import { frameReflection } from "./reflection.ts";

/** What counts the requests of a run. */
export interface MeterServices extends Pick<PromptServices, "folder" | "loaded"> {
  readonly mode: Parameters<typeof frameReflection>[1];
  readonly models: Pick<Models, "findPrices">;
  readonly store: () => Promise<Store>;
}

/**
 * Counts the requests of a run, and keeps them within its budgets.
 *
 * @param workedMs How long this process has worked on the run.
 */
export async function meterRun(
  app: MeterServices,
  run: Run,
  { model, workedMs }: { readonly model: ChatModel; readonly workedMs: () => number },
): Promise<NonNullable<LoopParts["meter"]>> {
  const store = await app.store();
  const { scope, sessionId, agentId } = run;
  const source = (await store.sessions.get(scope, sessionId))?.channel;
  const meter = createUsageMeter({ usage: store.usage, findPrices: (id) => app.models.findPrices(id) });
  const { config } = app.loaded;
  const { budget = {} } = config.agent ?? {};
  const { workedMs: before = 0 } = readProgress(run);
  const isReflection = frameReflection(run, app.mode) !== undefined;
  return async ({ step, ...request }) =>
    meter.before({
      ...request,
      ...(isReflection && { purpose: "reflect" }),
      scope,
      model,
      run: { id: run.id, rootId: run.rootId, step },
      sessionId,
      agentId,
      project: app.folder,
      ...(source !== undefined && { source }),
      budgets: {
        ...(await store.taskRuns.read((tree) =>
          findRunBudgets(tree, run, { config, workedMs: before + workedMs() }),
        )),
        ...(budget.agentDay !== undefined && { agentDay: toBudgetLimits(budget.agentDay) }),
        ...(budget.day !== undefined && { installationDay: toBudgetLimits(budget.day) }),
      },
    });
}
