import type { ArtifactRef } from "../call/result.ts";
import type { Trust } from "../policy/trust.ts";

/** Content to be kept beside the record of a call. */
export interface NewArtifact {
  readonly scope: string;
  readonly callId: string;
  /** `output`: what was too large to show. `former`: what a file held before a call changed it. */
  readonly kind: "output" | "former";
  readonly mimeType: string;
  /** @default "trusted" */
  readonly trust?: Trust;
  readonly data: string | Uint8Array;
}

/** A piece of a text artifact. Offsets and lengths count characters (UTF-16 units). */
export interface ArtifactPage {
  readonly text: string;
  readonly offset: number;
  /** The characters of the whole artifact. */
  readonly totalChars: number;
  /** The trust with which it was kept. */
  readonly trust: Trust;
}

/** Outputs too large to show, kept and addressable. An id of another scope is as unknown as one that never was. */
export interface ArtifactStore {
  /** Keeps the content, and returns the id by which the scope reads it. */
  put(artifact: NewArtifact): Promise<ArtifactRef>;
  /** Undefined where the scope has no such artifact. */
  readText(
    scope: string,
    id: string,
    range: { readonly offset: number; readonly length: number },
  ): Promise<ArtifactPage | undefined>;
  /** Undefined where the scope has no such artifact. */
  readBytes(scope: string, id: string): Promise<Uint8Array | undefined>;
}
