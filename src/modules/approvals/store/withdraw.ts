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

/** Lists the ids of the questions that nobody has answered yet. */
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
      .where("state", "=", "pending")
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

/** Ends questions as if they had expired. */
export async function withdrawQuestions(
  tx: Transaction<Tables>,
  { ids, why }: { readonly ids: readonly string[]; readonly why: string },
  now: number,
): Promise<void> {
  await tx
    .updateTable("approval")
    .set({ state: "expired", expires_at: now, answer_reason: why })
    .where("id", "in", [...ids])
    .where("state", "=", "pending")
    .execute();
}
