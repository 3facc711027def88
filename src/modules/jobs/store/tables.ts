import type { Generated } from "kysely";
import type { JobState } from "./jobs.ts";

/** The table of jobs, as queries see it. Times are Unix ms. */
export interface Tables {
  readonly job: JobTable;
}

interface JobTable extends Omit<JobRow, "seq"> {
  readonly seq: Generated<number>;
}

/** Work to be done, or that was. */
export interface JobRow {
  readonly seq: number;
  readonly id: string;
  readonly kind: string;
  /** The key among those that wait, unique in its kind and scope. */
  readonly key: string;
  readonly scope: string;
  /** JSON. */
  readonly payload: string;
  readonly state: JobState;
  readonly attempts: number;
  /** Null: as often as any job. */
  readonly max_attempts: number | null;
  readonly run_at: number;
  /** The lease of the attempt under way. */
  readonly lease: string | null;
  readonly lease_until: number | null;
  readonly last_error: string | null;
  readonly created_at: number;
  readonly ended_at: number | null;
}
