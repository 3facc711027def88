import type { Migration } from "../../db/index.ts";
import { approvalMigrations } from "../../modules/approvals/migrations/index.ts";
import { artifactMigrations } from "../../modules/artifacts/migrations/index.ts";
import { findingMigrations } from "../../modules/finding/migrations/index.ts";
import { grantMigrations } from "../../modules/grants/migrations/index.ts";
import { jobMigrations } from "../../modules/jobs/migrations/index.ts";
import { ledgerMigrations } from "../../modules/ledger/migrations/index.ts";
import { memoryMigrations } from "../../modules/memory/migrations/index.ts";
import { secretMigrations } from "../../modules/secrets/migrations/index.ts";
import { undoMigrations } from "../../modules/undo/migrations/index.ts";
import { artifacts } from "./migrations/0002-artifacts.ts";
import { sources } from "./migrations/0008-sources.ts";
import { callers } from "./migrations/0014-callers.ts";

/** Migrations that changed the tables of several modules at once. New ones belong to one module each. */
const shared: readonly Migration[] = [artifacts, sources, callers];

/** Every migration there ever was, in order. They are numbered over all modules. */
export const migrations: readonly Migration[] = [
  ...shared,
  ...approvalMigrations,
  ...artifactMigrations,
  ...findingMigrations,
  ...grantMigrations,
  ...jobMigrations,
  ...ledgerMigrations,
  ...memoryMigrations,
  ...secretMigrations,
  ...undoMigrations,
].toSorted((one, other) => one.version - other.version);
