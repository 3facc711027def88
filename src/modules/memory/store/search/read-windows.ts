import type { Kysely } from "kysely";
import type { MemoryEntry } from "../memory-entry.ts";
import type { Tables } from "../tables.ts";

/** Row numbers of the entries just before and just after one in its session, in their order. */
export interface Window {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Only of the scope's own: what stands beside an entry is not shared with it. */
export async function readWindow(
  db: Kysely<Tables>,
  scope: string,
  { place, scope: owner }: MemoryEntry,
  size: number,
): Promise<Window> {
  if (size === 0 || place === undefined || owner !== scope) return { before: [], after: [] };
  const beside = db
    .selectFrom("memory_entry")
    .select("seq")
    .where("scope", "=", scope)
    .where("session", "=", place.session)
    .where("deleted_at", "is", null)
    .limit(size);
  const before = await beside.where("position", "<", place.position).orderBy("position", "desc").execute();
  const after = await beside.where("position", ">", place.position).orderBy("position").execute();
  return { before: before.map(({ seq }) => seq).reverse(), after: after.map(({ seq }) => seq) };
}
