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

/** What {@link WorkEnd} works with. */
export interface WorkEndParts {
  readonly runs: Pick<SqlRuns, "stopIn">;
  readonly questions: Pick<RunQuestions, "withdraw">;
}

/** Work of agents on a task, which is to end. */
export interface EndedWork {
  readonly scope: string;
  readonly runId: string;
  /** Stored with each run that this ends. */
  readonly why: string;
}

/**
 * Ends the work of agents on a task in one transaction: its run, the runs below it, and the questions of all of them.
 * Runs that have ended keep their state; a question that one of them left is taken back too.
 */
export class WorkEnd {
  readonly #parts: WorkEndParts;

  constructor(parts: WorkEndParts) {
    this.#parts = parts;
  }

  /** Returns the ids of the runs that this ended. */
  async endIn(
    taskTx: Pick<Transaction<TaskTables>, "selectFrom">,
    { scope, runId, why }: EndedWork,
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
