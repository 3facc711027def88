export { JobRunner, type JobRunnerOptions } from "./job-runner.ts";
export {
  type ClaimedJob,
  type ClaimOptions,
  type Job,
  type JobFailure,
  type JobHandler,
  type JobHandlers,
  type JobQuery,
  type JobState,
  type Jobs,
  jobStates,
  type NewJob,
} from "./store/jobs.ts";
export { SqlJobs } from "./store/sql-jobs.ts";
export type { Tables as JobTables } from "./store/tables.ts";
