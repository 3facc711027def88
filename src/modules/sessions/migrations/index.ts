import type { Migration } from "../../../db/index.ts";
import { sessions } from "./0019-sessions.ts";
import { runProjects } from "./0022-run-projects.ts";
import { shownMessages } from "./0029-shown-messages.ts";

export const sessionMigrations: readonly Migration[] = [sessions, runProjects, shownMessages];
