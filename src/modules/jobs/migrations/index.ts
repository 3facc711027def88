import type { Migration } from "../../../db/index.ts";
import { jobs } from "./0013-jobs.ts";
import { jobAttempts } from "./0017-job-attempts.ts";

export const jobMigrations: readonly Migration[] = [jobs, jobAttempts];
