import { ledger } from "./0001-ledger.ts";
import { artifacts } from "./0002-artifacts.ts";
import { grants } from "./0003-grants.ts";
import { secrets } from "./0004-secrets.ts";
import type { Migration } from "./migration.ts";

/** Every migration there ever was, in order. */
export const migrations: readonly Migration[] = [ledger, artifacts, grants, secrets];
