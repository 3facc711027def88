import type { ArtifactInfo } from "../../../modules/artifacts/index.ts";
import type { SavedFile } from "../saved-file.ts";

/** A part of the whole output of a call, kept apart since it was too long for the result. Offsets count UTF-16 units. */
export interface CallOutput extends Pick<ArtifactInfo, "id" | "bytes" | "createdAt" | "trust"> {
  readonly text: string;
  readonly offset: number;
  readonly totalChars: number;
  /** The offset of the part before; absent at the beginning. */
  readonly before?: number;
  /** The offset of the part after; absent at the end. */
  readonly after?: number;
  /** The command that shows the same in a terminal. */
  readonly command: string;
}

export interface CallOutputApi {
  readonly "GET /calls/:id/output": {
    readonly query: { readonly offset?: string };
    readonly answer: CallOutput;
  };
  /** The whole output, to be saved: no browser shows it by itself. */
  readonly "GET /calls/:id/output/file": { readonly answer: SavedFile };
}
