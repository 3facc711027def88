import type { Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/** The questions of some calls, and further ones by their ids. */
export interface AskedQuery {
  readonly scope: string;
  /** What the ids of the calls begin with. */
  readonly callPrefix: string;
  /** @default none */
  readonly ids?: readonly string[];
}

/** States of questions that nobody has answered, and of those whose yes no call has used. */
const openStates = ["pending", "approved"] as const;

/** Lists the ids of questions that are open, or whose yes no call has used. */
export async function listAsked(
  tx: Transaction<Tables>,
  { scope, callPrefix, ids = [] }: AskedQuery,
  now: number,
): Promise<readonly string[]> {
  const open = () =>
    tx
      .selectFrom("approval")
      .select("id")
      .where("scope", "=", scope)
      .where("state", "in", openStates)
      .where("expires_at", ">", now);
  const ofCalls = await open()
    .where("call_id", ">=", callPrefix)
    .where("call_id", "<", `${callPrefix}\uffff`)
    .execute();
  const others =
    ids.length === 0
      ? []
      : await open()
          .where("id", "in", [...ids])
          .execute();
  return [...new Set([...ofCalls, ...others].map(({ id }) => id))];
}

/** Ends questions as if they had expired: no call can use a yes that was given to one. */
export async function withdrawQuestions(
  tx: Transaction<Tables>,
  { ids, why }: { readonly ids: readonly string[]; readonly why: string },
  now: number,
): Promise<void> {
  await tx
    .updateTable("approval")
    .set({ state: "expired", expires_at: now, answer_reason: why })
    .where("id", "in", [...ids])
    .where("state", "in", openStates)
    .execute();
}
