import { findRun, type Queries } from "./find-rows.ts";
import type { Run } from "./runs.ts";
import { toRun } from "./session-row.ts";
import { readWaits, type Wait } from "./waits.ts";

type RunWait = Extract<Wait, { readonly for: "run" | "halt" }>;

/** The runs of a scope that are parked. */
export async function listParked(db: Queries, scope: string): Promise<readonly Run[]> {
  const rows = await db
    .selectFrom("agent_run")
    .selectAll()
    .where("scope", "=", scope)
    .where("state", "=", "parked")
    .execute();
  return rows.map(toRun);
}

/** Whether a wait is over with a run in this state. */
export function isOverWith(wait: Wait, run: Pick<Run, "id" | "state" | "why">): boolean {
  if ((wait.for !== "run" && wait.for !== "halt") || wait.id !== run.id) return false;
  switch (run.state) {
    case "pending":
    case "running":
      return false;
    case "parked":
      return wait.for === "halt" && run.why === "approval";
    case "paused":
    case "completed":
    case "failed":
    case "stopped":
      return true;
    default:
      return run.state satisfies never;
  }
}

/** Whether a run that is parked now has nothing to wait for: the other has stopped, is gone, or waits for it in turn. */
export async function isWaitOver(
  db: Queries,
  waiting: Pick<Run, "id" | "scope">,
  wait: RunWait,
): Promise<boolean> {
  const row = await findRun(db, waiting.scope, wait.id);
  if (row === undefined || isOverWith(wait, toRun(row))) return true;
  return waitsFor(db, wait.id, waiting);
}

/** Whether a run waits for another, by itself or through runs that it waits for. */
async function waitsFor(
  db: Queries,
  runId: string,
  { id, scope }: Pick<Run, "id" | "scope">,
): Promise<boolean> {
  const seen = new Set<string>();
  const open = [runId];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one === id) return true;
    if (seen.has(one)) continue;
    seen.add(one);
    const row = await findRun(db, scope, one);
    if (row?.state !== "parked") continue;
    for (const wait of readWaits(row.wait_for ?? undefined))
      if (wait.for === "run" || wait.for === "halt") open.push(wait.id);
  }
  return false;
}
