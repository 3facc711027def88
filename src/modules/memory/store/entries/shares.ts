import type { Kysely, Transaction } from "kysely";
import type { MemoryPermission, MemoryShare } from "../memory-entry.ts";
import type { Tables } from "../tables.ts";
import type { MemoryEntryRow } from "./entry-tables.ts";

/** All who find the entry: its owner's scope first. */
export async function readScopes(db: Kysely<Tables>, row: MemoryEntryRow): Promise<readonly string[]> {
  const shares = await db
    .selectFrom("memory_share")
    .select("scope")
    .where("entry_seq", "=", row.seq)
    .execute();
  return [row.scope, ...shares.map(({ scope }) => scope)];
}

/** Who else has the entry, as `scope` may know it: its owner all of them, another that it is shared with itself. */
export async function readShares(
  db: Kysely<Tables>,
  scope: string,
  row: MemoryEntryRow,
): Promise<readonly MemoryShare[]> {
  let query = db.selectFrom("memory_share").selectAll().where("entry_seq", "=", row.seq);
  if (row.scope !== scope) query = query.where("scope", "=", scope);
  const shares = await query.orderBy("shared_at").orderBy("scope").execute();
  return shares.map((share) => ({
    entryId: row.id,
    owner: row.scope,
    scope: share.scope,
    permission: share.permission,
    sharedAt: share.shared_at,
  }));
}

/** The permission it was shared with before, if it was. */
export async function readShare(
  tx: Transaction<Tables>,
  row: MemoryEntryRow,
  scope: string,
): Promise<MemoryPermission | undefined> {
  const share = await tx
    .selectFrom("memory_share")
    .select("permission")
    .where("scope", "=", scope)
    .where("entry_seq", "=", row.seq)
    .executeTakeFirst();
  return share?.permission;
}

export async function putShare(
  tx: Transaction<Tables>,
  row: MemoryEntryRow,
  share: { readonly scope: string; readonly permission: MemoryPermission; readonly at: number },
): Promise<void> {
  const { scope, permission, at } = share;
  await tx
    .insertInto("memory_share")
    .values({ scope, entry_seq: row.seq, permission, shared_at: at })
    .onConflict((conflict) => conflict.columns(["scope", "entry_seq"]).doUpdateSet({ permission }))
    .execute();
}

export async function dropShare(tx: Transaction<Tables>, row: MemoryEntryRow, scope: string): Promise<void> {
  await tx.deleteFrom("memory_share").where("scope", "=", scope).where("entry_seq", "=", row.seq).execute();
}
