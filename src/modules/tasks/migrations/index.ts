import type { Migration } from "../../../db/index.ts";
import { tasks } from "./0027-tasks.ts";

export const taskMigrations: readonly Migration[] = [tasks];
