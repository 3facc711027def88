import type { Statement, TypedDatabase } from "../../../db/index.ts";
import type { KeptLabels, LedgerOutcome } from "../../../kernel/index.ts";
import type { CallOutcomeRow, Tables } from "./tables.ts";

/** The whole outcome of a call, for a caller that could not store it itself. */
export interface KeptOutcome extends KeptLabels {
  readonly text: string;
  readonly success: boolean;
  /** The error code of a failure. */
  readonly code: string | undefined;
  readonly artifactId: string | undefined;
  readonly notes: readonly string[];
}

/** Outcomes that no caller has stored are deleted after this time. */
const longestKeptMs = 7 * 86_400_000;

const insertOutcome =
  'insert or replace into "call_outcome" ("call_id", "text", "success", "code", "artifact_id", "notes", "trust", "private", "hosts", "at") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

/** The row of an outcome that is to be kept; undefined for any other. */
export function toKeptRow(callId: string, outcome: LedgerOutcome): Readonly<CallOutcomeRow> | undefined {
  if (outcome.keep === undefined) return undefined;
  const { trust, private: isPrivate, hosts } = outcome.keep;
  return {
    call_id: callId,
    text: outcome.text,
    success: outcome.success ? 1 : 0,
    code: outcome.code ?? null,
    artifact_id: outcome.artifactId ?? null,
    notes: JSON.stringify(outcome.notes),
    trust,
    private: isPrivate ? 1 : 0,
    hosts: hosts === undefined ? null : JSON.stringify(hosts),
    at: Math.trunc(outcome.completedAt),
  };
}

/** Whole outcomes beside the ledger's rows. */
export class KeptOutcomes {
  readonly #db: TypedDatabase<Tables>;
  #insert: Statement | undefined;

  constructor(db: TypedDatabase<Tables>) {
    this.#db = db;
  }

  /** Called within the transaction that records the end of the calls. */
  insert(rows: readonly CallOutcomeRow[]): void {
    if (rows.length === 0) return;
    this.#insert ??= this.#db.prepare(insertOutcome);
    for (const row of rows)
      this.#insert.run(
        row.call_id,
        row.text,
        row.success,
        row.code,
        row.artifact_id,
        row.notes,
        row.trust,
        row.private,
        row.hosts,
        row.at,
      );
  }

  async find(callId: string): Promise<KeptOutcome | undefined> {
    const db = await this.#db.queries();
    const row = await db
      .selectFrom("call_outcome")
      .selectAll()
      .where("call_id", "=", callId)
      .executeTakeFirst();
    return (
      row && {
        text: row.text,
        success: row.success === 1,
        code: row.code ?? undefined,
        artifactId: row.artifact_id ?? undefined,
        notes: JSON.parse(row.notes) as readonly string[],
        trust: row.trust,
        private: row.private === 1,
        ...(row.hosts !== null && { hosts: JSON.parse(row.hosts) as readonly string[] }),
      }
    );
  }

  /** Deletes the outcomes of calls whose ids begin with the prefix, and all that are older than seven days. */
  async forget(prefix: string, now: number): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .deleteFrom("call_outcome")
        .where((outcome) =>
          outcome.or([
            outcome.and([outcome("call_id", ">=", prefix), outcome("call_id", "<", `${prefix}\uffff`)]),
            outcome("at", "<", now - longestKeptMs),
          ]),
        )
        .execute(),
    );
  }
}
