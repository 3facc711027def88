import type { Migration } from "../../../db/index.ts";
import { outerCalls } from "./0015-outer-calls.ts";

export const undoMigrations: readonly Migration[] = [outerCalls];
