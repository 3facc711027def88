import type { Clock } from "../../base/index.ts";
import type { Database, DeadRun } from "../database.ts";
import { seal, type UnfinishedRow, unknownRow } from "./ledger-row.ts";

/** Unknown calls in one transaction at most. */
const maxBatch = 1000;

/** Says of every call that a vanished process left unfinished that nobody knows how it came out. */
export async function recoverCalls(
  db: Database,
  options: { readonly clock: Clock; readonly runId: string },
): Promise<void> {
  const runs = await db.runs.takeDead();
  try {
    for (const run of runs) {
      await recoverRun(db, run, options);
      await db.runs.forget(run);
    }
  } finally {
    for (const run of runs) db.runs.release(run);
  }
}

async function recoverRun(
  db: Database,
  run: DeadRun,
  { clock, runId }: { readonly clock: Clock; readonly runId: string },
): Promise<void> {
  for (;;) {
    const unfinished = await findUnfinished(db, run);
    if (unfinished.length === 0) return;
    await db.append((head) => {
      let at = head;
      return unfinished.map((started) => {
        const row = seal(unknownRow(started, runId, clock.now()), started.seq, at);
        at = row;
        return row;
      });
    });
  }
}

async function findUnfinished(db: Database, run: DeadRun): Promise<readonly UnfinishedRow[]> {
  const queries = await db.queries();
  return queries
    .selectFrom("ledger as started")
    .select(["started.seq", "started.call_id", "started.tool_name", "started.scope"])
    .where("started.seq", ">=", run.firstSeq)
    .where("started.run_id", "=", run.id)
    .where("started.event", "=", "started")
    .where((row) => {
      const later = row
        .selectFrom("ledger as later")
        .select("later.seq")
        .whereRef("later.call_id", "=", "started.call_id")
        .whereRef("later.start_seq", "=", "started.seq");
      return row.not(row.exists(later));
    })
    .orderBy("started.seq")
    .limit(maxBatch)
    .execute();
}
