import type { Transaction } from "kysely";
import type { ApprovalTables, SqlApprovals } from "../../approvals/index.ts";
import { listParked } from "./run-waits.ts";
import type { Run } from "./runs.ts";
import type { Tables } from "./tables.ts";
import { readWaits } from "./waits.ts";

/**
 * Takes back the questions of runs that were stopped, and each yes that no call has used, in the transaction that ends the
 * work: nobody makes their calls any more.
 */
export class RunQuestions {
  readonly #questions: Pick<SqlApprovals, "askedIn" | "withdrawIn">;

  constructor({ questions }: { readonly questions: Pick<SqlApprovals, "askedIn" | "withdrawIn"> }) {
    this.#questions = questions;
  }

  /** A run came into another state. */
  readonly onChanged = async (tx: Transaction<Tables>, run: Run): Promise<void> => {
    if (run.state === "stopped") await this.withdraw(tx, run);
  };

  /** Takes back what a run asks, unless another run waits for the same answer. */
  async withdraw(tx: Transaction<Tables>, run: Pick<Run, "id" | "scope" | "waitFor">): Promise<void> {
    const { scope, id } = run;
    const approvalTx = tx as unknown as Transaction<ApprovalTables>;
    const asked = { scope, callPrefix: `${id}.`, ids: listQuestions(run) };
    const open = await this.#questions.askedIn(approvalTx, asked);
    if (open.length === 0) return;
    const others = (await listParked(tx, scope)).filter((one) => one.id !== id);
    const awaited = new Set(others.flatMap(listQuestions));
    const ids = open.filter((one) => !awaited.has(one));
    if (ids.length > 0)
      await this.#questions.withdrawIn(approvalTx, ids, "the work that it was for has ended");
  }
}

function listQuestions({ waitFor }: Pick<Run, "waitFor">): readonly string[] {
  return readWaits(waitFor).flatMap((wait) => (wait.for === "approval" ? [wait.id] : []));
}
