export { AgentError, type AgentErrorCode, agentErrorCodes } from "./errors.ts";
export { defaultLimits, type MemoryLimits } from "./memory/limits.ts";
export { type MemoryContextText, memoryContext } from "./memory/memory-context.ts";
export {
  type MemoryJobKind,
  MemoryJobs,
  type MemoryJobsOptions,
  type MemoryWaiting,
  memoryJobKinds,
} from "./memory/memory-jobs.ts";
export { type MemoryDigestOptions, ModelDigest } from "./memory/model-digest.ts";
export type { Model, ModelAnswer, ModelMessage, ModelRequest, ModelUsage } from "./model.ts";
