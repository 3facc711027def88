import type { Migration } from "../../../db/index.ts";
import { sessions } from "./0019-sessions.ts";

export const sessionMigrations: readonly Migration[] = [sessions];
