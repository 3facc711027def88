import type { Trust } from "../../../kernel/index.ts";
import type { EntryKind } from "./entries.ts";
import type { RunKind, RunState } from "./runs.ts";
import type { InboxOrder } from "./sessions.ts";

/** The tables of conversations, as queries see them. Times are Unix ms. */
export interface Tables {
  readonly session: SessionRow;
  readonly epoch: EpochRow;
  readonly agent_run: RunRow;
  readonly entry: EntryRow;
  readonly inbox: InboxRow;
}

export interface SessionRow {
  readonly scope: string;
  readonly id: string;
  readonly agent_id: string;
  readonly channel: string;
  readonly address: string;
  readonly title: string | null;
  readonly epoch: number;
  /** The `seq` of the newest entry; 0 before the first. */
  readonly last_seq: number;
  /** The newest summary. */
  readonly summary_seq: number | null;
  readonly trust: Trust;
  readonly created_at: number;
  readonly changed_at: number;
}

export interface EpochRow {
  readonly scope: string;
  readonly session_id: string;
  readonly n: number;
  /** JSON. */
  readonly prefix: string;
  readonly began_at: number;
}

export interface RunRow {
  readonly scope: string;
  readonly id: string;
  readonly kind: RunKind;
  readonly session_id: string;
  readonly agent_id: string;
  readonly parent_id: string | null;
  readonly root_id: string;
  readonly depth: number;
  readonly state: RunState;
  readonly why: string | null;
  readonly wait_for: string | null;
  readonly result: string | null;
  /** JSON. */
  readonly settings: string;
  readonly trust: Trust;
  readonly steps: number;
  readonly lease: string | null;
  readonly lease_until: number | null;
  readonly created_at: number;
  readonly changed_at: number;
  readonly ended_at: number | null;
  readonly project: string | null;
}

export interface EntryRow {
  readonly scope: string;
  readonly session_id: string;
  readonly seq: number;
  readonly epoch: number;
  readonly run_id: string;
  readonly kind: EntryKind;
  /** The call that an entry belongs to: a result, or what waits for one. */
  readonly call_id: string | null;
  /** JSON. */
  readonly content: string;
  readonly tokens: number;
  readonly trust: Trust;
  /** 0 or 1. */
  readonly private: number;
  readonly at: number;
}

export interface InboxRow {
  readonly scope: string;
  readonly session_id: string;
  /** Counts up within a session. */
  readonly n: number;
  readonly id: string;
  readonly sender: string;
  readonly channel: string;
  /** The message's own id at its channel, or `id` where it has none. */
  readonly external_id: string;
  /** JSON. */
  readonly parts: string;
  readonly how: InboxOrder;
  readonly trust: Trust;
  /** The entry it became; null while it waits. */
  readonly taken_seq: number | null;
  readonly at: number;
  /** The call whose result shows it already. */
  readonly shown_by: string | null;
}
