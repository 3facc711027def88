import type { Migration } from "../../../db/index.ts";
import { jobs } from "./0013-jobs.ts";

export const jobMigrations: readonly Migration[] = [jobs];
