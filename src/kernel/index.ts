export type { ToolAnnotations } from "./annotations.ts";
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
} from "./approval.ts";
export type { ArtifactPage, ArtifactStore, NewArtifact } from "./artifacts.ts";
export {
  type Availability,
  type AvailabilityCode,
  type AvailabilityPart,
  type AvailabilityReason,
  availabilityCodes,
} from "./availability.ts";
export { unwrapCall } from "./called-tool.ts";
export type { Chain, ChainStep } from "./chain/chain.ts";
export { type ChainDefinition, defineChain, planOf } from "./chain/define-chain.ts";
export { type Reference } from "./chain/references.ts";
export { runSteps } from "./chain/run-steps.ts";
export { checkChain, mostSteps as mostChainSteps } from "./chain/step-order.ts";
export {
  type AudioBlock,
  type ContentAnnotations,
  type ContentBlock,
  type ImageBlock,
  type ResourceBlock,
  type ResourceLinkBlock,
  type TextBlock,
  ToolContent,
} from "./content.ts";
export type {
  CallContext,
  CheckContext,
  InnerCallOptions,
  ToolContext,
  ToolPartial,
  ToolProgress,
  ToolUpdate,
} from "./context.ts";
export {
  type CodeFile,
  type Effect,
  type EffectKind,
  effectKinds,
  effectVerbs,
  redactEffect,
} from "./effect.ts";
export { coversEffect, describePattern } from "./effect-pattern.ts";
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
export { EventBus, type Listener, type ToolEvent, toolEventCodes } from "./events.ts";
export { type ExecutorOptions, type Foreseen, ToolExecutor } from "./executor.ts";
export { shortestSecret } from "./form-index.ts";
export { offerOf, offersFor } from "./grant-offers.ts";
export type { AfterAnswer, BeforeAnswer, Hook, HookCall, HookOutcome } from "./hooks.ts";
export type { Lane } from "./lanes.ts";
export type { Ledger, LedgerCall, LedgerDecision, LedgerOutcome } from "./ledger.ts";
export { resolveLocalRef } from "./local-ref.ts";
export { type Mode, modeRules, modes } from "./modes.ts";
export { NobodyThereError } from "./nobody-there.ts";
export type { ClientInfo, Origin } from "./origin.ts";
export type { ForeseenDecision, ForeseeOptions } from "./permission-step.ts";
export { describeEffects } from "./permission-text.ts";
export {
  confirmRule,
  defaultRules,
  type JudgedCall,
  type Judgement,
  PermissionPolicy,
  type Verdict,
} from "./permissions.ts";
export { laterText, type PlannedCall } from "./planned-call.ts";
export type { AskedCall } from "./question.ts";
export type { HowToAllow } from "./questions.ts";
export type { SecretSource } from "./read-secret.ts";
export type { LedgerPolicy } from "./record-step.ts";
export { createRedactor, type Redact, type Redactor, type RedactStream } from "./redact.ts";
export {
  type CallStats,
  type Quarantine,
  type RegistryEvent,
  type RegistryOptions,
  ToolRegistry,
  type ToolSnapshot,
  type ToolStats,
} from "./registry.ts";
export type { ArtifactRef, ToolFailure, ToolResult, ToolSuccess } from "./result.ts";
export { readReturned } from "./returned-result.ts";
export { type Decision, decisions, type Remembrance, type Rule, remembrances } from "./rules.ts";
export {
  type FromJsonSchema,
  type JsonSchema,
  type ParameterSchema,
  type ParametersOf,
  type SchemaCompiler,
  type StandardSchema,
  toJsonSchema,
  type Validate,
  type Validation,
  type ValidationIssue,
} from "./schema.ts";
export {
  type CatalogueTokens,
  chooseExposure,
  type Exposure,
  type ExposureChoice,
  type ExposureCost,
  type ExposureOptions,
  exposures,
  usualInteraction,
} from "./selection/cost/choose-exposure.ts";
export { type CacheTerms, cacheTermsOf, type InteractionShape } from "./selection/cost/prompt-cost.ts";
export { estimateTokens, type TokenCounter } from "./selection/cost/tokens.ts";
export { budgetFor, defaultToolBudget, type ToolBudget } from "./selection/cost/tool-budget.ts";
export { firstSentence } from "./selection/first-sentence.ts";
export { type FoundForm, foundForm } from "./selection/found-form.ts";
export { unwrapCallTool } from "./selection/interaction/call-tool.ts";
export { coreTools } from "./selection/interaction/core-tools.ts";
export { Goals, type GoalsOptions, type Lesson, type Speaker } from "./selection/interaction/goals.ts";
export { howToLoad } from "./selection/interaction/how-to-load.ts";
export type { Interaction } from "./selection/interaction/interaction.ts";
export { type InteractionOptions, ToolInteraction } from "./selection/interaction/tool-interaction.ts";
export { knownPacks, type PackInfo } from "./selection/packs/known-packs.ts";
export { type ListedPack, PackCatalogue } from "./selection/packs/pack-catalogue.ts";
export { packOf, serverOf } from "./selection/packs/pack-of.ts";
export type { FoundPack } from "./selection/packs/pack-ranking.ts";
export {
  centrePacks,
  type InitPackOptions,
  initPackEmbeddings,
  type Pack,
  type PackEmbeddings,
  type PackMessage,
  selectAndCreateTools,
  selectPacks,
} from "./selection/packs/packs.ts";
export type { Embedder, VectorCache } from "./selection/search/embedder.ts";
export type { IndexStore } from "./selection/search/index-store.ts";
export type { RankingWeights } from "./selection/search/ranking-weights.ts";
export { stemOf } from "./selection/search/stem.ts";
export {
  type FoundTool,
  type FoundTools,
  type PackSearchOptions,
  type RankedPacks,
  type SearchOptions,
  type ToolScores,
  ToolSearch,
  type ToolSearchOptions,
} from "./selection/search/tool-search.ts";
export type { ToolUse, UsageMemory } from "./selection/search/usage.ts";
export { type SignatureBounds, signatureOf } from "./selection/signature.ts";
export { selectionToolNames } from "./selection/tool-names.ts";
export { type ShelfRank, type Skipped, type SkippedTool, shelfRanks, type ToolShelf } from "./shelves.ts";
export { type ShownCall, type ShownPlan, shownPlanOf } from "./shown-plan.ts";
export {
  type AnthropicTool,
  type DescribedTool,
  type GeminiTool,
  type LLMTarget,
  llmTargets,
  type McpTool,
  type OpenAITool,
  type TargetDefinitions,
  type TargetTool,
  toTargetTool,
} from "./targets.ts";
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
} from "./tool.ts";
export { type ToolCategory, type ToolIcon, type ToolInfo, toolCategories } from "./tool-info.ts";
export { entryNaming, type ToolLimits } from "./tool-limits.ts";
export { noTools, type ToolView } from "./tool-view.ts";
export { type LimitsOf, type Toolset } from "./toolset.ts";
export { type Trust, trusts } from "./trust.ts";
export { appendIssues, describeIssues } from "./validation.ts";
export { splitVersion, type VersionChoice, withVersions } from "./versions.ts";
