import type { Migration } from "../../../db/index.ts";
import { grants } from "./0003-grants.ts";
import { grantUsers } from "./0016-grant-users.ts";

export const grantMigrations: readonly Migration[] = [grants, grantUsers];
