export { allCalls } from "./all-calls.ts";
export { type App, type AppOptions, createApp } from "./create-app.ts";
export {
  type HaftConfig,
  parseConfig,
  type PolicyTest,
  type Profile,
  type SandboxConfig,
  type WebReadConfig,
  type WebSearchConfig,
} from "./config.ts";
export { type ExportFormat, formatCalls } from "./export-calls.ts";
export { configSchema } from "./config-schema.ts";
export { ConfigError, type ConfigErrorCode, configErrorCodes } from "./errors.ts";
export {
  type ReplayDifference,
  type ReplayedCall,
  type ReplayOptions,
  recordedCalls,
  replayCall,
  replayTask,
} from "./replay.ts";
export { Home } from "./home.ts";
export { configFileName, type LoadedConfig } from "./load-config.ts";
export {
  type ExplainedEffect,
  type Explanation,
  explainCall,
  fitsSome,
  judgeRecordedCalls,
  type NumberedRule,
  type PolicyTestResult,
  readShadowNotes,
  type RuleSource,
  ruleSources,
  rulesInForce,
  runPolicyTests,
  type ShadowDifference,
  type ShadowOptions,
  type ShadowReport,
} from "./policy/index.ts";
