import type { TypedDatabase } from "../../../db/index.ts";
import type { CallLease } from "../../../kernel/index.ts";
import type { Tables } from "./tables.ts";

/** A lease whose time is over still counts while no other process has taken the run. */
const heldSql = 'select 1 from "agent_run" where "scope" = ? and "id" = ? and "lease" = ?';

/** Makes the check whether a run is still had under a lease. It can be made within a transaction of other rows. */
export function createLeaseCheck(db: Pick<TypedDatabase<Tables>, "prepare">): (lease: CallLease) => boolean {
  let held: ReturnType<typeof db.prepare> | undefined;
  return ({ scope, id, lease }) => {
    held ??= db.prepare(heldSql);
    return held.get(scope, id, lease) !== undefined;
  };
}
