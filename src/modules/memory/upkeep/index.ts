// What keeps memory good, and what of it goes into every prompt.
export { defaultLimits, type MemoryLimits } from "./limits.ts";
export { type MemoryContextText, memoryContext } from "./memory-context.ts";
export {
  type MemoryJobKind,
  MemoryJobs,
  type MemoryJobsOptions,
  type MemoryWaiting,
  memoryJobKinds,
} from "./memory-jobs.ts";
export { type MemoryDigestOptions, ModelDigest } from "./model-digest.ts";
