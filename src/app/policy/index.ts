export { type ExplainedEffect, type Explanation, explainCall, findOutcome } from "./explain-call.ts";
export { type PolicyTestResult, runPolicyTests } from "./policy-tests.ts";
export {
  fitsSome,
  type NumberedRule,
  type RuleSource,
  ruleOfTools,
} from "./rules-in-force.ts";
export {
  judgeRecordedCalls,
  readShadowNotes,
  type ShadowOptions,
  type ShadowReport,
} from "./shadow-calls.ts";
export type { ShadowDifference } from "./shadow-notes.ts";
