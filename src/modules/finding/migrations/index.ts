import type { Migration } from "../../../db/index.ts";
import { search } from "./0009-search.ts";

export const findingMigrations: readonly Migration[] = [search];
