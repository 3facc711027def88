import type { Migration } from "../../../db/index.ts";
import { tasks } from "./0027-tasks.ts";
import { taskUpkeep } from "./0030-task-upkeep.ts";

export const taskMigrations: readonly Migration[] = [tasks, taskUpkeep];
