import type { Trust } from "../../../kernel/index.ts";
import type { FileChangeRow } from "../../undo/index.ts";

/** The tables of artifacts, and what they read of others. Numbers that mean yes or no are 1 and 0; times are Unix ms. */
export interface Tables {
  readonly artifact: ArtifactRow;
  readonly artifact_part: ArtifactPartRow;
  readonly file_change: FileChangeRow;
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
