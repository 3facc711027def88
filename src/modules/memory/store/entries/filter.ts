import type { Expression, ExpressionBuilder, Kysely, SelectQueryBuilder, SqlBool } from "kysely";
import type { MemoryFilter } from "../memory-store.ts";
import type { Tables } from "../tables.ts";
import { asLine } from "./entry-row.ts";

/** The condition that a row of `memory_entry` is meant by the filter, whoever's it is. */
export function isMeant(
  eb: ExpressionBuilder<Tables, "memory_entry">,
  filter: MemoryFilter,
  now: number,
): Expression<SqlBool> {
  const all: Expression<SqlBool>[] = [];
  const { kinds, exceptKinds = [], tiers, tags = [], labelPrefix: prefix, with: also = [] } = filter;
  if (kinds !== undefined) all.push(eb("memory_entry.kind", "in", kinds));
  if (exceptKinds.length > 0) all.push(eb("memory_entry.kind", "not in", exceptKinds));
  if (tiers !== undefined) all.push(eb("memory_entry.tier", "in", tiers));
  for (const tag of tags) {
    const without = eb.fn<string>("replace", ["memory_entry.tags", eb.val(asLine(tag)), eb.val("")]);
    all.push(eb("memory_entry.tags", "!=", without));
  }
  if (prefix !== undefined) {
    all.push(eb("memory_entry.label", ">=", prefix));
    all.push(eb("memory_entry.label", "<", `${prefix}\u{10ffff}`));
  }
  for (const column of ["category", "trust", "session", "speaker", "role", "channel"] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) all.push(eb(`memory_entry.${column}`, "=", wanted));
  }
  if (filter.afterPosition !== undefined) all.push(eb("memory_entry.position", ">", filter.afterPosition));
  if (filter.since !== undefined) all.push(eb("memory_entry.at", ">=", filter.since));
  if (filter.until !== undefined) all.push(eb("memory_entry.at", "<", filter.until));
  // Literally, as the index of those that are pinned has it.
  if (filter.pinned !== undefined) all.push(eb("memory_entry.pinned", "=", eb.lit(filter.pinned ? 1 : 0)));
  if (!also.includes("deleted")) all.push(eb("memory_entry.deleted_at", "is", null));
  if (!also.includes("superseded")) all.push(eb("memory_entry.superseded_by", "is", null));
  if (!also.includes("invalid")) all.push(wasValid(eb, filter.validAt ?? now));
  return eb.and(all);
}

function wasValid(eb: ExpressionBuilder<Tables, "memory_entry">, at: number): Expression<SqlBool> {
  return eb.and([
    eb.or([eb("memory_entry.valid_from", "is", null), eb("memory_entry.valid_from", "<=", at)]),
    eb.or([eb("memory_entry.valid_to", "is", null), eb("memory_entry.valid_to", ">", at)]),
  ]);
}

/** Rows of `memory_entry` to be selected from. */
export type EntryQuery = SelectQueryBuilder<Tables, "memory_entry", object>;

/** Rows of the scope's own that are meant. */
export function ownMeant(db: Kysely<Tables>, scope: string, filter: MemoryFilter, now: number): EntryQuery {
  return db
    .selectFrom("memory_entry")
    .where("memory_entry.scope", "=", scope)
    .where((eb) => isMeant(eb, filter, now));
}

/** Rows that others share with the scope and that are meant. What its owner deleted is gone for them. */
export function sharedMeant(
  db: Kysely<Tables>,
  scope: string,
  filter: MemoryFilter,
  now: number,
): EntryQuery {
  const shared = db
    .selectFrom("memory_share")
    .innerJoin("memory_entry", "memory_entry.seq", "memory_share.entry_seq")
    .where("memory_share.scope", "=", scope)
    .where("memory_entry.deleted_at", "is", null) as EntryQuery;
  return shared.where((eb) => isMeant(eb, filter, now));
}
