import type { Migration } from "../../../db/index.ts";
import { tasks } from "./0027-tasks.ts";
import { taskLosses } from "./0030-task-losses.ts";

export const taskMigrations: readonly Migration[] = [tasks, taskLosses];
