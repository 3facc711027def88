import type { Migration } from "../../../db/index.ts";
import { artifactTrust } from "./0007-artifact-trust.ts";

export const artifactMigrations: readonly Migration[] = [artifactTrust];
