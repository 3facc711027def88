/** A definition of a tool, as its source gave it: what a model would be told, and what a call must look like. */
export interface ToolDefinitionText {
  /** The name as the source calls it. */
  readonly name: string;
  /** Canonical JSON of all that its source says of it. */
  readonly text: string;
}

/** One tool of a source, and what its owner has looked at. */
export interface KeptDefinition {
  readonly source: string;
  readonly name: string;
  /** What may be used; absent while nobody has agreed to any. */
  readonly accepted?: { readonly text: string; readonly at: number; readonly by: string };
  /** What the source says now, where that is something else: not used until somebody agrees. */
  readonly offered?: { readonly text: string; readonly at: number };
  /** When the source last had it, to the hour. Unix ms. */
  readonly seenAt: number;
  /** Since when the source no longer has it. */
  readonly goneAt?: number;
}

/**
 * Definitions of other programs' tools. What was seen first is accepted; what comes later waits until somebody has
 * looked at it, a tool that is new among those of a known source too.
 */
export interface Definitions {
  /** Lists definitions by source and name; those of one source, or all. */
  list(scope: string, source?: string): Promise<readonly KeptDefinition[]>;
  /** Takes what a source offers now. What it no longer has is kept: should it come back, it is no news. */
  see(
    scope: string,
    source: string,
    offered: readonly ToolDefinitionText[],
  ): Promise<readonly KeptDefinition[]>;
  /**
   * Accepts what is offered, provided that it is still what was looked at. Returns the names accepted.
   *
   * @param looked what was shown; of a tool that offers something else by now, nothing is accepted
   */
  accept(
    scope: string,
    source: string,
    looked: readonly ToolDefinitionText[],
    by: string,
  ): Promise<readonly string[]>;
  /** All of a source: the next that is seen is the first. */
  forget(scope: string, source: string): Promise<void>;
}
