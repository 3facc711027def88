/** The tables that tools are found by, as queries see them. Times are Unix ms. */
export interface Tables {
  readonly text_vector: TextVectorRow;
  readonly tool_usage: ToolUsageRow;
  readonly search_index: SearchIndexRow;
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
