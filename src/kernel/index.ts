export type { JsonSchema } from "../base/index.ts";
export { unwrapCall } from "./call/called-tool.ts";
export {
  type CallContext,
  type CheckContext,
  defaultAgent,
  type InnerCallOptions,
  type ToolContext,
  type ToolPartial,
  type ToolProgress,
  type ToolUpdate,
} from "./call/context.ts";
export { EventBus, type Listener, type ToolEvent, toolEventCodes } from "./call/events.ts";
export { type Foreseen, ToolExecutor } from "./call/executor.ts";
export type { ExecutorOptions } from "./call/executor-options.ts";
export type { AfterAnswer, BeforeAnswer, Hook, HookCall, HookOutcome } from "./call/hooks.ts";
export type { ClientInfo, Origin } from "./call/origin.ts";
export type { LedgerPolicy } from "./call/record-step.ts";
export type { ResourceLock } from "./call/resource-locks.ts";
export {
  type ArtifactRef,
  findExitCode,
  type ToolFailure,
  type ToolResult,
  type ToolSuccess,
} from "./call/result.ts";
export { readReturned } from "./call/returned-result.ts";
export { appendIssues } from "./call/validation.ts";
export {
  TargetError,
  type TargetErrorCode,
  ToolBlockedError,
  ToolBusyError,
  ToolCancelledError,
  ToolError,
  type ToolErrorCode,
  ToolNotFoundError,
  ToolPermissionError,
  ToolTimeoutError,
  ToolValidationError,
  ToolWithheldError,
  targetErrorCodes,
  toolErrorCodes,
} from "./errors.ts";
export type {
  Approval,
  ApprovalAnswer,
  Approvals,
  Approver,
  CallKey,
  EffectPattern,
  FoundAnswer,
  GrantKey,
  GrantOffer,
  Grants,
  GrantTerm,
  NewGrant,
  Remember,
} from "./policy/approval.ts";
export type { AskedCall } from "./policy/approval-request.ts";
export { type HowToAllow, unansweredBy } from "./policy/ask-person.ts";
export { makeGrantOffer } from "./policy/grant-offers.ts";
export { type Mode, modeRules, modes } from "./policy/modes.ts";
export { NobodyThereError } from "./policy/nobody-there.ts";
export type { ForeseenDecision, ForeseeOptions } from "./policy/permission-step.ts";
export { describeEffects } from "./policy/permission-text.ts";
export {
  confirmRule,
  defaultRules,
  type JudgedCall,
  type Judgement,
  PermissionPolicy,
  type Verdict,
} from "./policy/permissions.ts";
export { laterText, type PlannedCall } from "./policy/planned-call.ts";
export { type RuleField, ruleFields } from "./policy/rule-fields.ts";
export { type Decision, decisions, type Remembrance, type Rule, remembrances } from "./policy/rules.ts";
export { readShownPlan, type ShownCall, type ShownPlan } from "./policy/shown-plan.ts";
export { type Trust, trusts } from "./policy/trust.ts";
export type { ArtifactPage, ArtifactStore, NewArtifact } from "./ports/artifacts.ts";
export {
  type CallLease,
  type KeptLabels,
  LeaseLostError,
  type Ledger,
  type LedgerCall,
  type LedgerDecision,
  type LedgerOutcome,
  notBegunNote,
  type RepeatedCall,
} from "./ports/ledger.ts";
export { readWaitNote } from "./ports/wait-note.ts";
export {
  type Availability,
  type AvailabilityCode,
  type AvailabilityPart,
  type AvailabilityReason,
  availabilityCodes,
} from "./registry/availability.ts";
export { firstSentence } from "./registry/first-sentence.ts";
export { foundForm } from "./registry/found-form.ts";
export { unwrapCallTool } from "./registry/interaction/call-tool.ts";
export { coreTools } from "./registry/interaction/core-tools.ts";
export { Goals, type GoalsOptions, type Lesson, type Speaker } from "./registry/interaction/goals.ts";
export type { Interaction } from "./registry/interaction/interaction.ts";
export { type InteractionOptions, ToolInteraction } from "./registry/interaction/tool-interaction.ts";
export { knownPacks, type PackInfo } from "./registry/known-packs.ts";
export { getCalledPackName, getPackName, getServerName } from "./registry/pack-of.ts";
export {
  type CallStats,
  type Quarantine,
  type RegistryEvent,
  type RegistryOptions,
  ToolRegistry,
  type ToolSnapshot,
  type ToolStats,
} from "./registry/registry.ts";
export {
  type AnthropicTool,
  type DescribedTool,
  type GeminiTool,
  type LLMTarget,
  llmTargets,
  type McpTool,
  type OpenAITool,
  requireTarget,
  type TargetDefinitions,
  type TargetTool,
  type ToolFormatter,
} from "./registry/tool-formats.ts";
export { selectionToolNames } from "./registry/tool-names.ts";
export {
  type Skipped,
  type SkippedTool,
  type SourceRank,
  sourceRanks,
  type ToolSource,
} from "./registry/tool-sources.ts";
export { noTools, type ToolView } from "./registry/tool-view.ts";
export type { LimitsOf, Toolset } from "./registry/toolset.ts";
export { shortestSecret } from "./secrets/form-index.ts";
export type { SecretSource } from "./secrets/read-secret.ts";
export { createRedactor } from "./secrets/redact.ts";
export type { Redact, Redactor, RedactStream } from "./secrets/redactor.ts";
export { readSecretName } from "./secrets/secret-name.ts";
export { redactValue } from "./secrets/secrets.ts";
export type { Seen, SeenCall, SeenMessage, SeenText } from "./taint/seen.ts";
export { isWithinAny } from "./taint/untrusted-files.ts";
export type { ToolAnnotations } from "./tool/annotations.ts";
export {
  type AudioBlock,
  type ContentAnnotations,
  type ContentBlock,
  type ImageBlock,
  type ResourceBlock,
  type ResourceLinkBlock,
  type TextBlock,
  ToolContent,
} from "./tool/content.ts";
export {
  type CodeFile,
  type Effect,
  type EffectKind,
  effectKinds,
  effectVerbs,
  redactEffect,
} from "./tool/effect.ts";
export { coversEffect, describePattern } from "./tool/effect-pattern.ts";
export { type Labelled, labelledContent, trustMark } from "./tool/labelled-content.ts";
export {
  type FromJsonSchema,
  type ParameterSchema,
  type ParametersOf,
  type SchemaCompiler,
  type StandardSchema,
  toJsonSchema,
  type Validate,
  type Validation,
  type ValidationIssue,
} from "./tool/schema.ts";
export {
  type DefinedTool,
  defineTool,
  type NamedCall,
  type PlainTool,
  type Tool,
  type ToolDefinition,
  type ToolOutcome,
  type ToolPool,
  type ToolVersions,
} from "./tool/tool.ts";
export {
  type ToolCategory,
  type ToolIcon,
  type ToolInfo,
  toolCategories,
  toToolInfo,
} from "./tool/tool-info.ts";
export { entryNaming, type ToolLimits } from "./tool/tool-limits.ts";
export { type VersionChoice, withVersions } from "./tool/versions.ts";
