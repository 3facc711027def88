import type { Migration } from "../../../db/index.ts";

/** How often a job may be begun, where that is not as often as any. */
export const jobAttempts: Migration = {
  version: 17,
  name: "job-attempts",
  statements: (_schema, engine) => [`alter table "job" add column "max_attempts" ${engine.integer}`],
};
