import { runInWorker, type WorkerLimits, type WorkerOutcome } from "../../../host/index.ts";
import type { PageJob, PageJobResults } from "./page-job.ts";

const entry = new URL("./page-worker.ts", import.meta.url);

/** Has a worker do the job. */
export function sendPageJob<Job extends PageJob>(
  job: Job,
  limits: WorkerLimits,
): Promise<WorkerOutcome<PageJobResults[Job["kind"]]>> {
  return runInWorker({ entry, data: job }, limits);
}
