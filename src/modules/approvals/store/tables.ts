/** The tables of questions to people, as queries see them. Times are Unix ms. */
export interface Tables {
  readonly approval: ApprovalRow;
  readonly watcher: WatcherRow;
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
