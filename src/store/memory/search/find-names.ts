import type { Kysely } from "kysely";
import type { Tables } from "../../tables.ts";
import { halvesOf, isNearly, namesIn } from "./names.ts";

/** More stretches of a query are not looked up with slips. */
const mostSlips = 48;

/** The entries whose names the query says, by row number, each with the length of the longest. */
export async function findNames(
  db: Kysely<Tables>,
  scopeId: number,
  query: string,
): Promise<ReadonlyMap<number, number>> {
  const stretches = namesIn(query);
  const found = new Map<number, number>();
  if (stretches.length === 0) return found;
  const add = (seq: number, length: number) => found.set(seq, Math.max(found.get(seq) ?? 0, length));
  const known = db
    .selectFrom("memory_name")
    .select(["name", "entry_seq as seq"])
    .where("scope_id", "=", scopeId);
  const any = await known.limit(1).executeTakeFirst();
  if (any === undefined) return found;
  for (const { name, seq } of await known.where("name", "in", stretches).execute()) add(seq, name.length);
  const halves = stretches.flatMap((stretch) => halvesOf(stretch) ?? []).slice(-mostSlips);
  if (halves.length === 0) return found;
  const near = await known
    .where((eb) =>
      eb.or(
        halves.flatMap(({ head, tail }) => [
          eb.and([eb("name", ">=", head), eb("name", "<", `${head}\u{10ffff}`)]),
          eb.and([eb("backwards", ">=", tail), eb("backwards", "<", `${tail}\u{10ffff}`)]),
        ]),
      ),
    )
    .limit(mostNear)
    .execute();
  for (const { name, seq } of near) {
    if (!found.has(seq) && stretches.some((stretch) => isNearly(stretch, name))) add(seq, name.length);
  }
  return found;
}

const mostNear = 2000;
