import type { Generated } from "kysely";

/** The table of what calls changed, as queries see it. Times are Unix ms. */
export interface Tables {
  readonly file_change: FileChangeRow;
}

export interface FileChangeRow {
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
