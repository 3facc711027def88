import type { Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/** Questions that nobody needs an answer to any more. */
export interface Withdrawn {
  readonly scope: string;
  /** What the ids of the calls that put them begin with. */
  readonly callPrefix: string;
  /** Questions of other calls that were waited for too. */
  readonly ids: readonly string[];
  /** Questions that somebody else waits for: they stay. */
  readonly except: readonly string[];
  /** A clause of why: `its task was stopped`. */
  readonly why: string;
}

/** They are over as if their time had come. Returns their ids. */
export async function withdrawQuestions(
  tx: Transaction<Tables>,
  { scope, callPrefix, ids, except, why }: Withdrawn,
  now: number,
): Promise<readonly string[]> {
  let rows = tx
    .updateTable("approval")
    .set({ state: "expired", expires_at: now, answer_reason: why })
    .where("scope", "=", scope)
    .where("state", "=", "pending")
    .where("expires_at", ">", now)
    .where((row) => {
      const ofCalls = row.and([row("call_id", ">=", callPrefix), row("call_id", "<", `${callPrefix}\uffff`)]);
      return ids.length === 0 ? ofCalls : row.or([ofCalls, row("id", "in", ids)]);
    });
  if (except.length > 0) rows = rows.where("id", "not in", except);
  const withdrawn = await rows.returning("id").execute();
  return withdrawn.map(({ id }) => id);
}
