export { type HookDefinition, type HookEntry } from "./hook-definition.ts";
export { createHookSource, type HookSource, type HookSourceServices } from "./hook-source.ts";
export type { HookRun, HookStatistics } from "./hook-statistics.ts";
