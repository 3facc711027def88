import type { Transaction } from "kysely";
import type { Clock, Json } from "../../../base/index.ts";
import { randomId, type TypedDatabase } from "../../../db/index.ts";
import type { Redact } from "../../../kernel/index.ts";
import { noteEvents } from "../../events/index.ts";
import type { Entry, NewEntry } from "./entries.ts";
import { SessionError } from "./errors.ts";
import { findRun, findRunning, requireSession } from "./find-rows.ts";
import { insertRun } from "./insert-rows.ts";
import { isDriven } from "./is-driven.ts";
import { redactEntry } from "./redact-entry.ts";
import { requireShort } from "./require-short.ts";
import type { ClaimedRun, NewRun, Run, RunChange, RunQuery, Runs, SessionChange } from "./runs.ts";
import { toClaimedRun, toEntry, toRun } from "./session-row.ts";
import type { EntryRow, RunRow, SessionRow, Tables } from "./tables.ts";

const mostListed = 1_000;

const unleased = { lease: null, lease_until: null } as const;
const endStates = ["completed", "failed", "stopped"] as const;

export interface SqlRunsOptions {
  readonly clock: Clock;
  /** Takes secrets out of what is stored. @default nothing is secret */
  readonly redact?: Redact | undefined;
  /** Called in the transaction that queues or parks a run, to store what lets it go on. @default nothing is */
  readonly onWaiting?: (tx: Transaction<Tables>, run: Run) => Promise<void>;
  /** Called in the transaction that changes a run's state, to store what follows from it. @default nothing does */
  readonly onChanged?: (tx: Transaction<Tables>, run: Run) => Promise<void>;
  /** Called once this process has a run that another may have had before. @default nothing is */
  readonly onClaimed?: (run: ClaimedRun) => void;
}

/** {@link Runs} over any {@link TypedDatabase}. */
export class SqlRuns implements Runs {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;
  readonly #redact: Redact;
  readonly #onWaiting: SqlRunsOptions["onWaiting"];
  readonly #onChanged: SqlRunsOptions["onChanged"];
  readonly #onClaimed: SqlRunsOptions["onClaimed"];

  constructor(
    db: TypedDatabase<Tables>,
    { clock, redact = (text) => text, onWaiting, onChanged, onClaimed }: SqlRunsOptions,
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#redact = redact;
    this.#onWaiting = onWaiting;
    this.#onChanged = onChanged;
    this.#onClaimed = onClaimed;
  }

  async begin(run: NewRun): Promise<Run> {
    return this.#db.write(async (tx) => {
      const begun = toRun(await insertRun(tx, run, { now: this.#clock.now() }));
      if (run.queued === true) await this.#onWaiting?.(tx, begun);
      await this.#onChanged?.(tx, begun);
      return begun;
    });
  }

  async get(scope: string, id: string): Promise<Run | undefined> {
    const row = await findRun(await this.#db.queries(), scope, id);
    return row && toRun(row);
  }

  async list({ scope, sessionId, rootId, below, states, limit = 50 }: RunQuery): Promise<readonly Run[]> {
    if (states?.length === 0) return [];
    const db = await this.#db.queries();
    let rows = db.selectFrom("agent_run").selectAll().where("scope", "=", scope);
    if (sessionId !== undefined) rows = rows.where("session_id", "=", sessionId);
    if (rootId !== undefined) rows = rows.where("root_id", "=", rootId);
    if (below !== undefined)
      rows = rows
        .where("session_id", "!=", below)
        .where("root_id", "in", (query) =>
          query
            .selectFrom("agent_run")
            .select("root_id")
            .where("scope", "=", scope)
            .where("session_id", "=", below)
            .whereRef("id", "=", "root_id"),
        );
    if (states !== undefined) rows = rows.where("state", "in", states);
    const found = await rows
      .orderBy("created_at", "desc")
      .orderBy("id")
      .limit(Math.min(limit, mostListed))
      .execute();
    return found.map(toRun);
  }

  async claim(scope: string, id: string, leaseMs: number): Promise<ClaimedRun | undefined> {
    const lease = randomId("l", 16);
    const claimed = await this.#db.write(async (tx) => {
      const row = await findRun(tx, scope, id);
      if (row === undefined || isEnded(row)) return undefined;
      const now = this.#clock.now();
      const running = await findRunning(tx, scope, row.session_id);
      if (running.some((one) => isDriven(one, this.#db, now))) return undefined;
      // Whoever had one of them before has lost it: of a session, one process drives one run.
      for (const one of running) await this.#change(tx, one, { state: "pending", ...unleased }, now);
      this.#db.locks.take(lease);
      const columns = { state: "running", why: null, wait_for: null } as const;
      const leased = { lease, lease_until: now + leaseMs, changed_at: now };
      return this.#change(tx, row, { ...columns, ...leased }, now);
    });
    const run = claimed && toClaimedRun(claimed);
    if (run !== undefined) this.#onClaimed?.(run);
    return run;
  }

  async renew({ scope, id, lease }: ClaimedRun, leaseMs: number): Promise<boolean> {
    const kept = await this.#db.write((tx) =>
      tx
        .updateTable("agent_run")
        .set({ lease_until: this.#clock.now() + leaseMs })
        .where("scope", "=", scope)
        .where("id", "=", id)
        .where("lease", "=", lease)
        .returning("id")
        .executeTakeFirst(),
    );
    return kept !== undefined;
  }

  async write(run: ClaimedRun, change: SessionChange): Promise<readonly Entry[]> {
    const contents = (change.entries ?? []).map((entry) => toContent(redactEntry(entry, this.#redact)));
    const written = await this.#db.write(async (tx) => {
      const row = await this.#requireLease(tx, run);
      const session = await requireSession(tx, run.scope, row.session_id);
      const epoch = await this.#beginEpoch(tx, session, change.prefix);
      const entries = (change.entries ?? []).map((entry, at) =>
        this.#toRow(entry, { row, epoch, seq: session.last_seq + 1 + at, content: contents[at] as string }),
      );
      for (const entry of entries) await tx.insertInto("entry").values(entry).execute();
      await this.#take(tx, session, change.taken ?? []);
      await this.#advance(tx, session, { epoch, entries });
      if (change.run !== undefined) {
        const changed = await this.#change(tx, row, this.#toRunColumns(row, change.run), this.#clock.now());
        if (changed.state === "parked") await this.#onWaiting?.(tx, toRun(changed));
        if (changed.state !== "running") await this.#onChanged?.(tx, toRun(changed));
      }
      return entries.map(toEntry);
    });
    if ((change.run?.state ?? "running") !== "running") this.#unlock(run);
    return written;
  }

  async release(run: ClaimedRun): Promise<void> {
    await this.#db.write(async (tx) => {
      const now = this.#clock.now();
      const row = await findRun(tx, run.scope, run.id);
      if (row?.lease !== run.lease) return;
      await this.#change(tx, row, { ...unleased, state: "pending", changed_at: now }, now);
    });
    this.#unlock(run);
  }

  #unlock({ lease }: ClaimedRun): void {
    this.#db.locks.release(lease, { remove: true });
  }

  async stop(scope: string, id: string, why: string): Promise<boolean> {
    return this.#db.write(async (tx) => {
      const row = await findRun(tx, scope, id);
      if (row === undefined || isDriven(row, this.#db, this.#clock.now())) return false;
      return this.#stop(tx, row, why);
    });
  }

  /**
   * {@link stop} in a transaction of other rows, whatever process drives the run: that loses it, and ends its calls once it
   * hears of it.
   */
  async stopIn(tx: Transaction<Tables>, scope: string, id: string, why: string): Promise<boolean> {
    const row = await findRun(tx, scope, id);
    return row !== undefined && (await this.#stop(tx, row, why));
  }

  async #stop(tx: Transaction<Tables>, row: RunRow, why: string): Promise<boolean> {
    if (isEnded(row)) return false;
    const now = this.#clock.now();
    await this.#change(tx, row, { state: "stopped", why, ...unleased, changed_at: now, ended_at: now }, now);
    return true;
  }

  async #change(
    tx: Transaction<Tables>,
    row: RunRow,
    columns: Partial<RunRow>,
    now: number,
  ): Promise<RunRow> {
    const changed = await changeRun(tx, row, columns, now);
    if (changed.state !== row.state) await this.#onChanged?.(tx, toRun(changed));
    return changed;
  }

  async #requireLease(tx: Transaction<Tables>, { scope, id, lease }: ClaimedRun): Promise<RunRow> {
    const row = await findRun(tx, scope, id);
    // A lease that has ended still counts while no other process has taken the run.
    if (row !== undefined && row.lease === lease) return row;
    throw new SessionError(
      "RUN_LOST",
      `Cannot go on with the run "${id}": another process has it, or it was stopped`,
      { details: { runId: id } },
    );
  }

  async #beginEpoch(tx: Transaction<Tables>, session: SessionRow, prefix: Json | undefined): Promise<number> {
    if (prefix === undefined) return session.epoch;
    const n = session.epoch + 1;
    await tx
      .insertInto("epoch")
      .values({
        scope: session.scope,
        session_id: session.id,
        n,
        prefix: this.#redact(JSON.stringify(prefix)),
        began_at: this.#clock.now(),
      })
      .execute();
    return n;
  }

  #toRow(
    entry: NewEntry,
    {
      row,
      epoch,
      seq,
      content,
    }: { readonly row: RunRow; readonly epoch: number; readonly seq: number; readonly content: string },
  ): EntryRow {
    return {
      scope: row.scope,
      session_id: row.session_id,
      seq,
      epoch,
      run_id: row.id,
      kind: entry.kind,
      call_id: "callId" in entry ? (entry.callId ?? null) : null,
      content,
      tokens: entry.tokens ?? 0,
      trust: entry.trust ?? "trusted",
      private: entry.private === true ? 1 : 0,
      at: this.#clock.now(),
    };
  }

  async #take(tx: Transaction<Tables>, session: SessionRow, taken: readonly string[]): Promise<void> {
    for (const [at, id] of taken.entries()) {
      const row = await tx
        .updateTable("inbox")
        .set({ taken_seq: session.last_seq + 1 + at })
        .where("scope", "=", session.scope)
        .where("session_id", "=", session.id)
        .where("id", "=", id)
        .where("taken_seq", "is", null)
        .returning("id")
        .executeTakeFirst();
      if (row === undefined) throw new RangeError(`Cannot take the message "${id}": it was taken before`);
    }
  }

  async #advance(
    tx: Transaction<Tables>,
    session: SessionRow,
    { epoch, entries }: { readonly epoch: number; readonly entries: readonly EntryRow[] },
  ): Promise<void> {
    if (entries.length === 0 && epoch === session.epoch) return;
    await noteEvents(tx, "session", [session.id], this.#clock.now());
    await tx
      .updateTable("session")
      .set({
        epoch,
        last_seq: session.last_seq + entries.length,
        summary_seq: entries.findLast(({ kind }) => kind === "summary")?.seq ?? session.summary_seq,
        trust: entries.some(({ trust }) => trust === "untrusted") ? "untrusted" : session.trust,
        changed_at: this.#clock.now(),
      })
      .where("scope", "=", session.scope)
      .where("id", "=", session.id)
      .execute();
  }

  #toRunColumns(row: RunRow, { state, why, waitFor, result, steps, settings }: RunChange): Partial<RunRow> {
    const now = this.#clock.now();
    const next = state ?? row.state;
    return {
      state: next,
      why: why ?? null,
      wait_for: waitFor ?? null,
      result: result === undefined ? row.result : this.#redact(result),
      steps: steps ?? row.steps,
      settings: settings === undefined ? row.settings : JSON.stringify(settings),
      changed_at: now,
      ...(next !== "running" && unleased),
      ...(isEnded({ state: next }) && { ended_at: now }),
    };
  }
}

function isEnded({ state }: Pick<RunRow, "state">): boolean {
  return endStates.some((one) => one === state);
}

async function changeRun(
  tx: Transaction<Tables>,
  { scope, id }: RunRow,
  columns: Partial<RunRow>,
  now: number,
): Promise<RunRow> {
  await noteEvents(tx, "run", [id], now);
  return tx
    .updateTable("agent_run")
    .set(columns)
    .where("scope", "=", scope)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @throws {RangeError} */
function toContent({ tokens: _tokens, trust: _trust, private: _private, ...content }: NewEntry): string {
  return requireShort(JSON.stringify(content));
}
