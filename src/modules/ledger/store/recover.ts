import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { LedgerChain } from "./ledger-chain.ts";
import { seal, type UnfinishedRow, unknownRow } from "./ledger-row.ts";
import { type DeadRun, Runs } from "./runs.ts";
import type { Tables } from "./tables.ts";

/** Unknown calls in one transaction at most. */
const maxBatch = 1000;

/** Calls that are told of at most. */
const maxTold = 100;
const maxPaths = 500;

/** A call whose process is gone: nobody knows how it came out. */
export interface UnknownCall {
  /** The project folder of the call. */
  readonly project: string | undefined;
  /** The arguments as JSON, which may be cut; undefined where they are not kept. */
  readonly paramsText: string | undefined;
  /** What the call had recorded to change. */
  readonly paths: readonly string[];
}

/**
 * Says of every call that a vanished process left unfinished that nobody knows how it came out. Resolves with the first
 * hundred of them.
 */
export async function recoverCalls(
  db: TypedDatabase<Tables>,
  options: { readonly clock: Clock; readonly runId: string },
): Promise<readonly UnknownCall[]> {
  const runs = new Runs(db);
  const dead = runs.takeDead();
  const unknown: UnfinishedRow[] = [];
  try {
    for (const run of dead) {
      await recoverRun(db, run, options, (rows) => {
        for (const row of rows.slice(0, maxTold - unknown.length)) unknown.push(row);
      });
      await runs.forget(run);
    }
    return unknown.length === 0 ? [] : await describeCalls(db, unknown);
  } finally {
    for (const run of dead) runs.release(run);
  }
}

async function recoverRun(
  db: TypedDatabase<Tables>,
  run: DeadRun,
  { clock, runId }: { readonly clock: Clock; readonly runId: string },
  tell: (rows: readonly UnfinishedRow[]) => void,
): Promise<void> {
  for (;;) {
    const unfinished = await findUnfinished(db, run);
    if (unfinished.length === 0) return;
    await new LedgerChain(db).append((head) => {
      let at = head;
      return unfinished.map((started) => {
        const row = seal(unknownRow(started, runId, clock.now()), started.seq, at);
        at = row;
        return row;
      });
    });
    tell(unfinished);
  }
}

async function describeCalls(
  db: TypedDatabase<Tables>,
  rows: readonly UnfinishedRow[],
): Promise<UnknownCall[]> {
  const queries = await db.queries();
  const ids = rows.map(({ call_id }) => call_id);
  const scopes = Array.from(new Set(rows.map(({ scope }) => scope)));
  const changes = await queries
    .selectFrom("file_change")
    .select(["scope", "call_id", "path"])
    .where("scope", "in", scopes)
    .where("call_id", "in", ids)
    .limit(maxPaths)
    .execute();
  return rows.map((row) => ({
    project: row.project ?? undefined,
    paramsText: row.params_text ?? undefined,
    paths: changes
      .filter(({ scope, call_id }) => scope === row.scope && call_id === row.call_id)
      .map(({ path }) => path),
  }));
}

async function findUnfinished(db: TypedDatabase<Tables>, run: DeadRun): Promise<readonly UnfinishedRow[]> {
  const queries = await db.queries();
  return queries
    .selectFrom("ledger as started")
    .select([
      "started.seq",
      "started.call_id",
      "started.tool_name",
      "started.scope",
      "started.params_text",
      "started.project",
    ])
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
