export { type Approval, type ApprovalAnswer, type Approver, type GrantKey, type Grants } from "./approval.ts";
export type { ArtifactPage, ArtifactStore, NewArtifact } from "./artifacts.ts";
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
export type { CallContext, ToolContext, ToolPartial, ToolProgress, ToolUpdate } from "./context.ts";
export { type Effect, type EffectKind, effectKinds, effectVerbs } from "./effect.ts";
export {
  ToolBlockedError,
  ToolBusyError,
  ToolCancelledError,
  ToolError,
  type ToolErrorCode,
  ToolNotFoundError,
  ToolPermissionError,
  ToolTimeoutError,
  ToolValidationError,
  toolErrorCodes,
} from "./errors.ts";
export { EventBus, type Listener, type ToolEvent, toolEventCodes } from "./events.ts";
export { type ExecutorOptions, ToolExecutor } from "./executor.ts";
export type { AfterAnswer, BeforeAnswer, Hook, HookCall, HookOutcome } from "./hooks.ts";
export type { Lane } from "./lanes.ts";
export type { Ledger, LedgerCall, LedgerDecision, LedgerOutcome } from "./ledger.ts";
export { resolveLocalRef } from "./local-ref.ts";
export type { Origin } from "./origin.ts";
export { describeEffects } from "./permission-step.ts";
export {
  type Decision,
  decisions,
  defaultRules,
  PermissionPolicy,
  type Rule,
  type Verdict,
} from "./permissions.ts";
export { createRedactor, type Redact, type Redactor, type RedactStream, shortestSecret } from "./redact.ts";
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
export type { SecretSource } from "./secrets.ts";
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
  type Tool,
  type ToolAnnotations,
  type ToolCategory,
  type ToolDefinition,
  type ToolIcon,
  type ToolOutcome,
  toolCategories,
} from "./tool.ts";
export { describeIssues } from "./validation.ts";
