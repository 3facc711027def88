import { keepLease, systemClock } from "../base/index.ts";
import { type ClaimedRun, type Runs, SessionError, type Sessions } from "../modules/sessions/index.ts";
import type { RunEnd } from "./loop/events.ts";
import { StoredJournal } from "./loop/journal.ts";
import { Recall, type RecallParts } from "./loop/recall.ts";
import { type LoopParts, runLoop } from "./loop/run-loop.ts";

/** What is needed to drive a stored run. */
export interface DriveOptions extends Omit<LoopParts, "journal" | "leave" | "recall" | "executor"> {
  readonly executor: LoopParts["executor"] & RecallParts["executor"];
  readonly store: { readonly sessions: Sessions; readonly runs: Runs };
  readonly scope: string;
  readonly runId: string;
  /** Leaves the run for another process, or for later. @default never */
  readonly leave?: AbortSignal;
  /** How long after this process has died another takes the run over. @default 60,000 */
  readonly leaseMs?: number;
}

/**
 * Drives a run of the store until it ends or can't go on by itself. Undefined if another process has it, or it has
 * ended.
 *
 * @throws {SessionError} RUN_LOST where another process took the run over, or it was stopped; the reason of `leave`.
 */
export async function driveRun(options: DriveOptions): Promise<RunEnd | undefined> {
  const { store, scope, runId, leaseMs = 60_000, clock = systemClock } = options;
  const run = await store.runs.claim(scope, runId, leaseMs);
  if (run === undefined) return undefined;
  const lost = new AbortController();
  const stopRenewing = keepLease({
    clock,
    leaseMs,
    renew: () => store.runs.renew(run, leaseMs),
    onLost: () => lost.abort(lostRun(run)),
  });
  const leave = options.leave === undefined ? lost.signal : AbortSignal.any([lost.signal, options.leave]);
  try {
    const journal = await StoredJournal.open(store, run);
    const recall = new Recall({ ...options, journal });
    return await runLoop({ ...options, clock, leave, journal, recall });
  } catch (thrown) {
    // The next process then need not wait for the lease to end.
    if (!lost.signal.aborted) await store.runs.release(run).catch(() => undefined);
    throw thrown;
  } finally {
    stopRenewing();
  }
}

function lostRun({ id }: ClaimedRun): SessionError {
  return new SessionError(
    "RUN_LOST",
    `Cannot go on with the run "${id}": another process has it, or it was stopped`,
    { details: { runId: id } },
  );
}
