import type { Json } from "../../../base/index.ts";
import type { ClaimedJob, Job } from "./jobs.ts";
import type { JobRow } from "./tables.ts";

export function toJob(row: JobRow): Job {
  return {
    id: row.id,
    kind: row.kind,
    scope: row.scope,
    key: row.key,
    payload: JSON.parse(row.payload) as Json,
    state: row.state,
    attempts: row.attempts,
    runAt: row.run_at,
    leaseUntil: row.lease_until ?? undefined,
    lastError: row.last_error ?? undefined,
    createdAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
  };
}

export function toClaimed(row: JobRow): ClaimedJob {
  return { ...toJob(row), lease: row.lease as string };
}
