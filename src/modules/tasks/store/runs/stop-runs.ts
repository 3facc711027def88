import type { Transaction } from "kysely";
import {
  findRun,
  type RunQuestions,
  type SessionTables,
  type SqlRuns,
  toRun,
} from "../../../sessions/index.ts";
import type { Tables as TaskTables } from "../tables.ts";
import { listPart } from "./list-part.ts";

/** What {@link RunStopper} works with. */
export interface RunStopperParts {
  readonly runs: Pick<SqlRuns, "stopIn">;
  readonly questions: Pick<RunQuestions, "withdraw">;
}

/** Which run is stopped, with the runs below it. */
export interface StopRequest {
  readonly scope: string;
  readonly runId: string;
  /** The reason, stored with each run that is stopped. */
  readonly why: string;
}

/**
 * Stops the run of a task and the runs below it in one transaction, and withdraws their questions. Runs that have ended
 * keep their state; their open questions are withdrawn, too.
 */
export class RunStopper {
  readonly #parts: RunStopperParts;

  constructor(parts: RunStopperParts) {
    this.#parts = parts;
  }

  /** Returns the ids of the runs that were stopped. */
  async stopIn(
    taskTx: Pick<Transaction<TaskTables>, "selectFrom">,
    { scope, runId, why }: StopRequest,
  ): Promise<readonly string[]> {
    const { runs, questions } = this.#parts;
    const tx = taskTx as unknown as Transaction<SessionTables>;
    const top = await findRun(tx, scope, runId);
    if (top === undefined) return [];
    const ended: string[] = [];
    // Those below come first, so that no run is told of the end of another.
    for (const id of (await listPart(tx, scope, top.session_id)).toReversed()) {
      if (await runs.stopIn(tx, scope, id, why)) {
        ended.push(id);
        continue;
      }
      const row = await findRun(tx, scope, id);
      if (row !== undefined) await questions.withdraw(tx, toRun(row));
    }
    return ended;
  }
}
