import type { Migration } from "../../../db/index.ts";
import { approvals } from "./0006-approvals.ts";

export const approvalMigrations: readonly Migration[] = [approvals];
