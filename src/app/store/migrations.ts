import type { Migration } from "../../db/index.ts";
import { modules } from "../modules.ts";
import { artifacts } from "./migrations/0002-artifacts.ts";
import { sources } from "./migrations/0008-sources.ts";
import { callers } from "./migrations/0014-callers.ts";

/** Migrations that changed the tables of several modules at once. New ones belong to one module each. */
const shared: readonly Migration[] = [artifacts, sources, callers];

/** Every migration there ever was, in order. They are numbered over all modules. */
export async function listMigrations(): Promise<readonly Migration[]> {
  const own = await Promise.all(modules.map(async ({ migrations }) => (await migrations?.()) ?? []));
  return [...shared, ...own.flat()].toSorted((one, other) => one.version - other.version);
}
