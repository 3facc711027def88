import type { Decision, Trust } from "../../../kernel/index.ts";
import type { FileChangeRow } from "../../undo/index.ts";

/** The tables of the ledger and of the processes that write it, and what it reads of others. Numbers that mean yes or no are 1 and 0; times are Unix ms. */
export interface Tables {
  readonly ledger: LedgerRow;
  readonly ledger_head: LedgerHeadRow;
  readonly ledger_block: LedgerBlockRow;
  readonly run: RunRow;
  readonly call_outcome: CallOutcomeRow;
  readonly untrusted_file: UntrustedFileRow;
  readonly file_change: FileChangeRow;
  readonly agent_run: AgentRunRow;
}

/** The columns of an agent's run that say which runs belong together. */
interface AgentRunRow {
  readonly scope: string;
  readonly id: string;
  readonly root_id: string;
}

/** One event of a call. The first event of a call says what was called; a later one points back to it. */
export interface LedgerRow {
  readonly seq: number;
  readonly call_id: string;
  readonly event: "started" | "ended" | "unknown" | "erased";
  /** The row this one continues; null in the first row of a call. */
  readonly start_seq: number | null;
  readonly run_id: string;
  readonly at: number;
  readonly started_at: number | null;
  readonly tool_name: string;
  readonly tool_version: string | null;
  readonly scope: string;
  readonly task_id: string | null;
  readonly agent_id: string | null;
  readonly user_id: string | null;
  readonly channel: string | null;
  readonly idempotent: number | null;
  readonly decision: Decision | null;
  readonly decided_by: string | null;
  readonly params_digest: string | null;
  readonly params_text: string | null;
  readonly outcome: "completed" | "failed" | "denied" | "cancelled" | null;
  readonly code: string | null;
  readonly summary: string | null;
  /** A JSON array of texts. */
  readonly notes: string | null;
  readonly artifact_id: string | null;
  readonly still_running: number | null;
  readonly duration_ms: number | null;
  readonly prev_hash: string;
  readonly hash: string;
  /** SHA-256 (hex) of what the model read, whole; null in rows of before version 5 and in those that are no end. */
  readonly result_digest: string | null;
  /** What the calling program said it is; null in rows of before version 14, as the three after it. */
  readonly client_name: string | null;
  readonly client_version: string | null;
  readonly session: string | null;
  readonly project: string | null;
  /** The call that made this one, and the outermost call; null for a call that no other made, and before version 24. */
  readonly parent_call_id: string | null;
  readonly root_call_id: string | null;
  /** The salted digest of the texts (`ErasableTexts`); null in rows without any, and in those of before version 25. */
  readonly texts_hash: string | null;
  /** Null once the texts were erased. No hash is over it. */
  readonly texts_salt: string | null;
}

/** Every column, in the order in which the chain's hash takes them, but for `hash` itself and the last. */
export const ledgerColumns: readonly (keyof LedgerRow)[] = [
  "seq",
  "call_id",
  "event",
  "start_seq",
  "run_id",
  "at",
  "started_at",
  "tool_name",
  "tool_version",
  "scope",
  "task_id",
  "agent_id",
  "user_id",
  "channel",
  "idempotent",
  "decision",
  "decided_by",
  "params_digest",
  "params_text",
  "outcome",
  "code",
  "summary",
  "notes",
  "artifact_id",
  "still_running",
  "duration_ms",
  "prev_hash",
  "hash",
  "result_digest",
  "client_name",
  "client_version",
  "session",
  "project",
  "parent_call_id",
  "root_call_id",
  "texts_hash",
  "texts_salt",
];

/** One row: how far the chain goes. It changes in the same transaction as the chain. */
interface LedgerHeadRow {
  readonly id: number;
  readonly seq: number;
  readonly hash: string;
  /** The rows up to this one are noted in `ledger_block`; less than `seq` where a program of before version 18 wrote more. */
  readonly noted: number;
}

/** A block of the ledger in which a value occurs. */
interface LedgerBlockRow {
  /** A `BlockKind`. */
  readonly kind: string;
  readonly value: string;
  /** The project folder of the calls; empty where they have none, and for states. */
  readonly project: string;
  readonly block: number;
}

/** The whole outcome of a call, for whoever made it. */
export interface CallOutcomeRow {
  readonly call_id: string;
  readonly text: string;
  readonly success: number;
  readonly code: string | null;
  readonly artifact_id: string | null;
  /** A JSON array of texts. */
  readonly notes: string;
  readonly trust: Trust;
  readonly private: number;
  /** A JSON array of the hosts that the call connected to; null where there are none. */
  readonly hosts: string | null;
  readonly at: number;
}

/** A file that a call wrote, or was about to write, with data from outside. */
export interface UntrustedFileRow {
  /** Canonical. */
  readonly path: string;
  /** The latest such call. */
  readonly call_id: string;
  readonly at: number;
}

/** A process that has calls in the ledger and has not ended in good order. */
export interface RunRow {
  readonly id: string;
  /** No row of this run comes before it. */
  readonly first_seq: number;
  readonly started_at: number;
}
