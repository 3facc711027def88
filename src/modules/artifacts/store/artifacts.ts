import type { ArtifactStore, NewArtifact, Trust } from "../../../kernel/index.ts";

/** What is known of an artifact without reading it. */
export interface ArtifactInfo {
  readonly id: string;
  readonly scope: string;
  readonly callId: string;
  readonly kind: NewArtifact["kind"];
  readonly mimeType: string;
  readonly bytes: number;
  /** UTF-16 units; undefined where the bytes are not UTF-8, so that they can't be read as text. */
  readonly chars: number | undefined;
  /** Unix ms. */
  readonly createdAt: number;
  readonly trust: Trust;
}

/** How much is to be left. */
export interface PruneOptions {
  /** Removes what is older, unless an undo still needs it. */
  readonly olderThanMs?: number;
  /** Then removes the oldest until no more than this is left: first what no undo needs, then the rest. */
  readonly maxBytes?: number;
}

/** How much was removed. */
export interface Pruned {
  readonly artifacts: number;
  readonly bytes: number;
}

/**
 * The artifacts with what their owner needs. `put` rejects with STORE_TOO_LARGE beyond the limit; `readText` with
 * STORE_NOT_TEXT for bytes that are not UTF-8. A page never parts a surrogate pair: it begins a unit earlier or
 * ends a unit sooner or later, so go on at `offset + text.length`.
 */
export interface Artifacts extends ArtifactStore {
  /** Undefined where the scope has no such artifact. */
  describe(scope: string, id: string): Promise<ArtifactInfo | undefined>;
  /** Prunes the artifacts of every scope. */
  prune(options: PruneOptions): Promise<Pruned>;
  /** Removes the outputs of the calls of this id. What an undo needs stays. */
  removeOutputs(callId: string): Promise<Pruned>;
}
