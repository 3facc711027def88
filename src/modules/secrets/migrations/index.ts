import type { Migration } from "../../../db/index.ts";
import { secrets } from "./0004-secrets.ts";

export const secretMigrations: readonly Migration[] = [secrets];
