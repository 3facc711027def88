import type { BudgetSettings } from "../../agent/index.ts";
import { isRecord, type Json } from "../../base/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import { readSettings } from "../agent/turn-settings.ts";
import type { HaftConfig } from "../config/config-types.ts";
import { defaultLimits, type TaskLimitSettings } from "../config/task-limits.ts";

/** The limits of tasks that hold in an installation. */
export function readTaskLimits({ agent }: HaftConfig): Required<TaskLimitSettings> {
  return { ...defaultLimits, ...agent?.tasks };
}

/** The budget of its own that a run was given, with what a person has raised since. */
export function readBudget(run: Run): BudgetSettings {
  const { usd, limits } = readSettings(run);
  return { ...(usd !== undefined && { usd }), ...limits };
}

/** What a run has done so far, as it is stored with its settings. A next run of the same task begins anew. */
export interface RunProgress {
  readonly workedMs?: number;
  /** All of its result, where that is too long to be shown. */
  readonly resultArtifact?: string;
}

export function readProgress({ settings }: Pick<Run, "settings">): RunProgress {
  const progress = isRecord(settings) ? settings["progress"] : undefined;
  const { workedMs, resultArtifact } = isRecord(progress) ? progress : {};
  return {
    ...(typeof workedMs === "number" && { workedMs }),
    ...(typeof resultArtifact === "string" && { resultArtifact }),
  };
}

/** The settings of a run with what it has done. */
export function withProgress({ settings }: Pick<Run, "settings">, progress: RunProgress): Json {
  return { ...(isRecord(settings) && settings), progress: { ...progress } } as Json;
}
