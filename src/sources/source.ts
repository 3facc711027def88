import type { ToolSource } from "../kernel/index.ts";

/** A source of tools that a user brought. */
export interface Source {
  /** `markdown`, `manifest`, `extension`, `bridge`. */
  readonly kind: string;
  /**
   * Registers the tools that are there and, where it watches, follows what changes. Never rejects for what
   * a user brought: that is a problem.
   */
  start(): Promise<void>;
  /** What can't be used now, and why. */
  problems(): readonly SourceProblem[];
  close(): Promise<void>;
}

/** Why something that a user brought is no tool, or is not the one that the file says now. */
export interface SourceProblem {
  /** The file, or the server. */
  readonly where: string;
  /** The line, from 1 on. */
  readonly line?: number;
  /** The column, from 1 on. */
  readonly column?: number;
  /** See `sourceErrorCodes`. */
  readonly code: string;
  /** Names the thing, the rule and the remedy. */
  readonly message: string;
}

/** What every source is made of. */
export interface SourceServices {
  readonly toolSource: ToolSource;
  /** Whether the owner has accepted this text, in this place. */
  readonly accepts: (file: { readonly path: string; readonly text: string }) => boolean;
  /** Follow changes: a program that goes on, and not one command. */
  readonly watch: boolean;
}
