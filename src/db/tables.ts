import type { Generated } from "kysely";
import type { Decision, Trust } from "../kernel/index.ts";
import type { JobTable } from "../modules/jobs/store/job-table.ts";
import type { SecretKeyKind } from "../modules/secrets/store/secret-keys.ts";

/** The version that the migrations lead to. Raise it with each new one. */
export const schemaVersion = 16;

/** The tables, as queries see them. Numbers that mean yes or no are 1 and 0; times are Unix ms. */
export interface Tables {
  readonly schema_version: SchemaVersionRow;
  readonly ledger: LedgerRow;
  readonly ledger_head: LedgerHeadRow;
  readonly run: RunRow;
  readonly artifact: ArtifactRow;
  readonly artifact_part: ArtifactPartRow;
  readonly file_change: FileChangeRow;
  readonly tool_grant: ToolGrantRow;
  readonly approval: ApprovalRow;
  readonly tool_definition: ToolDefinitionRow;
  readonly hook_statistics: HookStatisticsRow;
  readonly text_vector: TextVectorRow;
  readonly tool_usage: ToolUsageRow;
  readonly search_index: SearchIndexRow;
  readonly job: JobTable;
  readonly secret_key: SecretKeyRow;
  readonly secret: SecretRow;
  readonly watcher: WatcherRow;
}

interface SchemaVersionRow {
  readonly version: number;
  readonly name: string;
  readonly applied_at: number;
}

/** One event of a call. The first event of a call says what was called; a later one points back to it. */
export interface LedgerRow {
  readonly seq: number;
  readonly call_id: string;
  readonly event: "started" | "ended" | "unknown";
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
}

/** Every column, in the order in which the chain's hash takes them, but for `hash` itself. */
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
];

/** One row: how far the chain goes. It changes in the same transaction as the chain. */
interface LedgerHeadRow {
  readonly id: number;
  readonly seq: number;
  readonly hash: string;
}

/** A process that has calls in the ledger and has not ended in good order. */
interface RunRow {
  readonly id: string;
  /** No row of this run comes before it. */
  readonly first_seq: number;
  readonly started_at: number;
}

export interface ArtifactRow {
  readonly id: string;
  readonly scope: string;
  readonly call_id: string;
  readonly kind: "output" | "former";
  readonly mime_type: string;
  readonly bytes: number;
  /** UTF-16 units; null where the bytes are not UTF-8 text. */
  readonly chars: number | null;
  /** 1: the bytes are a file of their own beside the database. */
  readonly in_file: number;
  readonly created_at: number;
  readonly trust: Trust;
}

/** A stretch of an artifact. `data` is null where the bytes are in a file. */
export interface ArtifactPartRow {
  readonly artifact_id: string;
  /** The UTF-16 units before this part in a text; otherwise the same as `byte_start`. */
  readonly char_start: number;
  readonly byte_start: number;
  readonly bytes: number;
  readonly data: Uint8Array | null;
}

interface FileChangeRow {
  readonly seq: Generated<number>;
  readonly scope: string;
  readonly call_id: string;
  readonly path: string;
  readonly former_artifact_id: string | null;
  readonly former_mode: number | null;
  readonly after_hash: string | null;
  readonly recorded_at: number;
  readonly undone_at: number | null;
  readonly outer_call_id: string | null;
}

export interface ToolGrantRow {
  readonly id: string;
  readonly digest: string;
  readonly scope: string;
  readonly agent_id: string | null;
  /** The user whose calls it is for; null: calls of no user. */
  readonly user_id: string | null;
  readonly tool_name: string;
  readonly tool_version: string;
  readonly params_text: string | null;
  readonly granted_by: string;
  readonly created_at: number;
  readonly uses: number;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
  readonly revoked_by: string | null;
  /** A JSON array of patterns; null: exactly one call. */
  readonly patterns: string | null;
  /** A digest of the folders in which commands may work, for patterns with commands. */
  readonly bounds: string | null;
  /** The first of them, for people to read. */
  readonly folder: string | null;
  readonly term: "session" | "time" | "always";
  /** The session it is for; empty: any. */
  readonly session: string;
  readonly expires_at: number | null;
  /** When its session ended, or another took its place. */
  readonly ended_at: number | null;
  /** JSON: where the call came from that the answer was for, without the channel's own handle. */
  readonly origin: string | null;
  readonly project: string | null;
}

/** One question to a person, and its answer. */
export interface ApprovalRow {
  readonly id: string;
  /** The digest of the call that an answer is for; null: it is for the call that asked, and no other. */
  readonly digest: string | null;
  readonly scope: string;
  readonly agent_id: string | null;
  readonly user_id: string | null;
  readonly call_id: string;
  readonly tool_name: string;
  readonly tool_title: string;
  readonly tool_version: string;
  /** JSON, without secrets. */
  readonly params_text: string;
  /** A JSON array of effects. */
  readonly effects: string;
  readonly folder: string | null;
  readonly reason: string;
  /** A JSON array of offers. */
  readonly offers: string;
  /** A JSON array of globs. */
  readonly approvers: string;
  /** JSON, without the channel's own handle. */
  readonly origin: string | null;
  /**
   * The state as it was written last: one that is pending or approved has expired all the same once its time
   * has come.
   */
  readonly state: "pending" | "approved" | "denied" | "used" | "expired";
  readonly created_at: number;
  readonly waits_until: number | null;
  readonly expires_at: number;
  readonly answered_at: number | null;
  readonly answered_by: string | null;
  readonly answer_reason: string | null;
  /** JSON. */
  readonly remember: string | null;
  readonly used_at: number | null;
  /** The call that used it. */
  readonly used_by: string | null;
  /** That of `origin`, for queries. */
  readonly session: string | null;
  readonly project: string | null;
}

/** A program in which a person watches for questions. */
export interface WatcherRow {
  readonly id: string;
  readonly kind: string;
  readonly identity: string;
  /** Unix ms after which the program counts as gone, unless it renews its row. */
  readonly until: number;
}

/** A key by its proof: `sealed` opens with the right one only. */
export interface SecretKeyRow {
  readonly version: number;
  readonly id: string;
  readonly kind: SecretKeyKind;
  /** The salt of a passphrase. */
  readonly salt: Uint8Array | null;
  /** The parameters of scrypt for a passphrase, as JSON. */
  readonly cost: string | null;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
  readonly created_at: number;
  readonly retired_at: number | null;
}

export interface SecretRow {
  readonly scope: string;
  readonly name: string;
  readonly key_id: string;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
  readonly created_at: number;
  readonly changed_at: number;
}

/** A tool of another program, as it was accepted and as it is offered. */
export interface ToolDefinitionRow {
  readonly scope: string;
  readonly source: string;
  readonly name: string;
  /** Canonical JSON. */
  readonly accepted: string | null;
  readonly accepted_at: number | null;
  readonly accepted_by: string | null;
  /** The definition that is offered; null where it is the same as `accepted`. */
  readonly offered: string | null;
  readonly offered_at: number | null;
  readonly seen_at: number;
  /** Since when its source no longer has it. */
  readonly gone_at: number | null;
}

interface HookStatisticsRow {
  readonly scope: string;
  readonly hook: string;
  readonly runs: number;
  readonly blocks: number;
  readonly errors: number;
  readonly total_ms: number;
  readonly last_run_at: number | null;
  readonly last_error: string | null;
}

/** What a model made of a text. */
interface TextVectorRow {
  readonly model: string;
  /** The hash of the text. */
  readonly hash: string;
  /** Numbers of 32 bits, the lowest byte first. */
  readonly vector: Uint8Array;
  /** The size of `vector`. */
  readonly bytes: number;
  /** When it was used last, to the day. */
  readonly used_at: number;
}

/** A message that led to a call of the tool. */
interface ToolUsageRow {
  readonly scope: string;
  readonly tool_name: string;
  /** SHA-256 (hex) of `goal`. */
  readonly goal_hash: string;
  /** Without secrets, cut. */
  readonly goal: string;
  readonly at: number;
}

interface SearchIndexRow {
  readonly form: string;
  readonly data: Uint8Array;
  readonly saved_at: number;
}
