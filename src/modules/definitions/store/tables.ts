/** The table of other programs' tools, as queries see it. Times are Unix ms. */
export interface Tables {
  readonly tool_definition: ToolDefinitionRow;
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
