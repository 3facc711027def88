export type { HookRunLog, HookRuns, HookStats } from "./store/hook-runs.ts";
export { SqlHookRuns } from "./store/sql-hook-runs.ts";
