import type { RunRow } from "../../ledger/index.ts";

/** The table of grants, and what they read of others. Times are Unix ms. */
export interface Tables {
  readonly tool_grant: ToolGrantRow;
  readonly run: RunRow;
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
