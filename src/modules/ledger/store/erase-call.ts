import type { TypedDatabase } from "../../../db/index.ts";
import { erasableColumns } from "./erasable-texts.ts";
import type { LedgerChain } from "./ledger-chain.ts";
import { erasedRow, seal } from "./ledger-row.ts";
import type { Erasure } from "./ledger-store.ts";
import type { Tables } from "./tables.ts";

const eraseTexts = `update "ledger" set ${[...erasableColumns, "texts_salt"].map((column) => `"${column}" = null`).join(", ")} where "call_id" = ? and "texts_hash" is not null`;
const eraseOutcome = 'delete from "call_outcome" where "call_id" = ?';

/** What {@link eraseCall} works with. */
export interface EraseParts {
  readonly db: TypedDatabase<Tables>;
  readonly chain: LedgerChain;
  readonly runId: string;
  readonly now: number;
  /** Who erases. */
  readonly by: string;
}

/** Erases the texts of all calls of an id, in one transaction with the rows that say so. */
export async function eraseCall(callId: string, { db, chain, runId, now, by }: EraseParts): Promise<Erasure> {
  const queries = await db.queries();
  const rows = await queries
    .selectFrom("ledger")
    .select(["seq", "call_id", "tool_name", "scope", "event", "start_seq", "texts_hash", "texts_salt"])
    .where("call_id", "=", callId)
    .orderBy("seq")
    .execute();
  const firsts = rows.filter(({ start_seq }) => start_seq === null);
  if (firsts.length === 0) return "not-found";
  const isOpen = firsts.some(
    ({ seq, event }) => event === "started" && !rows.some(({ start_seq }) => start_seq === seq),
  );
  if (isOpen) return "running";
  if (firsts.some(({ texts_hash }) => texts_hash === null)) return "unerasable";
  const left = firsts.filter(({ seq }) =>
    rows.some((row) => (row.start_seq ?? row.seq) === seq && row.texts_salt !== null),
  );
  if (left.length === 0) return "erased";
  const settings = { runId, at: now, by };
  await chain.append(
    (head) => {
      let at = head;
      return left.map((first) => {
        const row = seal(erasedRow(first, settings), first.seq, at);
        at = row;
        return row;
      });
    },
    () => {
      db.prepare(eraseTexts).run(callId);
      db.prepare(eraseOutcome).run(callId);
    },
  );
  return "erased";
}
